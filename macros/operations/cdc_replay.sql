{#
    Judges the quarantined rows of a table again, with the metadata of now, and adds those that pass to bronze at their
    positions, by one commit. Returns a sentence: how many passed, or why none can.
#}
{% macro cdc_replay(node, cdc, bronze) %}
    {% set columns = cdc_replay_columns(cdc, bronze) %}
    {% set operations = 'python_udfs.pipeline.operations.' %}
    {% set problems = adapter.call_function(operations ~ 'list_replay_problems', {'cdc': cdc, 'columns': columns}) %}
    {% if problems %}
        {% do return(node.alias ~ ': ' ~ problems | join('; ') ~ '. Nothing was replayed.') %}
    {% endif %}
    {% do adapter.start_write(bronze) %}
    {% set count_sql = cdc_count_sql('(' ~ cdc_waiting_sql(cdc, bronze) ~ ')') %}
    {% set before = adapter.query(count_sql)[0]['row_count'] %}
    {% do _add_rows(node, cdc, bronze, columns) if before %}
    {% set after = adapter.query(count_sql)[0]['row_count'] if before else 0 %}
    {% set is_whole = _release_whole_reloads(bronze) %}
    {% do return(adapter.call_function(operations ~ 'describe_replay', {
        'table': node.alias, 'before': before, 'after': after, 'is_whole': is_whole,
        'changes': cdc_type_changes(cdc, bronze).changes if after else [],
        'command': cdc_change_types_command(bronze),
    })) %}
{% endmacro %}


{% macro _add_rows(node, cdc, bronze, columns) %}
    {% set batch_id = cdc_next_batch_id(bronze) %}
    {% set view = node.alias ~ '__quarantined' %}
    {% set view_sql = cdc_replay_view_sql(cdc, bronze, columns, batch_id) %}
    {% do run_query('create or replace temporary view ' ~ view ~ ' as\n' ~ view_sql) %}
    {% set raw = adapter.call_function('python_udfs.pipeline.bronze.complete_rows', {
        'cdc': cdc, 'bronze': bronze,
        'reading': adapter.call_function('python_udfs.pipeline.reading.Reading', {
            'view': view, 'columns': columns, 'has_line_breaks': true,
        }),
    }) %}
    {% set plan = cdc_column_plan(
        cdc_source_columns(cdc, raw), adapter.get_columns_in_relation(bronze), cdc.schema_drift
    ) %}
    {% do cdc_evolve_columns(bronze, plan) %}
    {% set files_sql = cdc_replay_files_sql(cdc, bronze, cdc_relation_of('raw_listing'), batch_id) %}
    {% set names = adapter.get_columns_in_relation(bronze) | map(attribute='name') | list %}
    {% do adapter.write(bronze, cdc_replay_sql(cdc, bronze, names, cdc_bronze_sql(cdc, files_sql, raw, plan))) %}
{% endmacro %}


{# Whether reloads waited for rows alone, each of which is in bronze now: bronze itself judges files. #}
{% macro _release_whole_reloads(bronze) %}
    {% if not run_query(cdc_held_reloads_sql(bronze)).rows | length %}
        {% do return(false) %}
    {% endif %}
    {% do adapter.start_write(bronze) %}
    {% set whole = run_query(_whole_reloads_sql(bronze)).columns['generation'].values() | list %}
    {% do cdc_release_reloads(bronze, whole, 'each row of its load could be read') if whole %}
    {% do return(whole | length > 0) %}
{% endmacro %}


{% macro _whole_reloads_sql(bronze) -%}
select held.generation
from (
    {{ cdc_held_reloads_sql(bronze) | indent(4) }}
) as held
left anti join (
    {{ cdc_waiting_loads_sql(bronze) | indent(4) }}
) as waiting on held.generation = waiting.generation
where held.unread is null
{%- endmacro %}
