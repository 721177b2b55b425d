{#
    Writes what bronze got since the snapshot that silver's own newest snapshot names: asks, decides, changes columns, sets
    the progress, writes. The write itself commits the progress.
#}
{% macro get_incremental_cdc_merge_sql(arguments) %}
    {% set cdc = adapter.call_function('python_udfs.pipeline.table.read_cdc', {'node': model}) %}
    {% set started_at = modules.datetime.datetime.now(modules.pytz.utc) %}
    {% set silver, name = arguments.existing_relation, model.refs[0].name %}
    {#- A reference has no rows with --empty, and cannot be read at a snapshot. -#}
    {% set bronze = cdc_relation_of(name) if flags.EMPTY else ref(name) %}
    {% if load_relation(bronze) is none %}
        {% do exceptions.raise_compiler_error(_bronze_is_missing_message(this, bronze)) %}
    {% endif %}

    {#- Without rows (--empty) the table is as before the first batch. -#}
    {% set to_snapshot_id = 0 if flags.EMPTY else adapter.current_snapshot_id(bronze) %}
    {% set progress = cdc_progress(silver) %}
    {% if silver is not none and progress.get('cdc.bronze-snapshot-id') == to_snapshot_id | string %}
        {% do arguments.update({'message': 'nothing: bronze is still at snapshot ' ~ to_snapshot_id}) %}
        {% do return(none) %}
    {% elif progress and not progress.get('cdc.sequence') %}
        {#- Only placeholder columns so far, and no row: created again, with the types that have arrived. -#}
        {% set silver, progress = none, {} %}
    {% endif %}
    {% if silver is not none and not progress %}
        {% do log(_progress_is_gone_message(silver, bronze), info=true) %}
    {% endif %}
    {% set plan, reasons = cdc_silver_plan(cdc, bronze, silver), [] %}
    {% if silver is not none and cdc_has_other_types(plan) %}
        {#- change_types was killed between bronze and silver: silver is made again of all of bronze, by one commit. -#}
        {% set silver, progress = none, {} %}
        {% set plan = cdc_silver_plan(cdc, bronze, none) %}
        {% do reasons.append('types of bronze') %}
    {% endif %}
    {% set changes = cdc_bronze_range(cdc, bronze, to_snapshot_id, progress, plan) %}
    {% set new_progress = cdc_silver_progress(cdc, changes, plan, bronze, started_at) %}

    {% set way = cdc_silver_way(cdc, silver, changes) %}
    {% do reasons.insert(0, 'changes=' ~ changes.changes) %}
    {% do reasons.append('overwritten files') if changes.replaces_all %}
    {% do reasons.append('late') if changes.has_late %}
    {% do reasons.append('truncate or complete reload') if changes.has_new_reset_point %}
    {% do arguments.update({'message': way ~ ': ' ~ reasons | join(', ')}) %}

    {% if silver is not none and plan | selectattr('change') | list %}
        {% do cdc_evolve_columns(silver, plan) %}
    {% endif %}
    {% do adapter.set_snapshot_properties(new_progress) %}
    {% if _is_small(silver, changes, progress) %}
        {#- Planned once, not again after each stage, and each stage is one task. -#}
        {% do adapter.set_properties({'spark.sql.adaptive.enabled': 'false', 'spark.sql.shuffle.partitions': 1}) %}
    {% endif %}
    {% do return(cdc_silver_write_sql(cdc, bronze, silver, changes, plan, way, new_progress)) %}
{% endmacro %}


{# Whether a batch and the table that it is applied to are so small that tasks cost more than rows. #}
{% macro _is_small(silver, changes, progress) %}
    {% set rows = 0 if silver is none else progress.get('total-records', 1000000) | int %}
    {% do return(adapter.is_small(changes.changes, rows) and not (changes.has_late or changes.replaces_all)) %}
{% endmacro %}


{% macro _progress_is_gone_message(silver, bronze) -%}
{{ silver }}: no snapshot is left that records how far it is: another program has expired them. It takes all of {{ bronze }}
once more; rows that are there stay as they are.
{%- endmacro %}


{% macro _bronze_is_missing_message(silver, bronze) -%}
CDC error in {{ silver }} (cdc_merge): its bronze table {{ bronze }} does not exist yet. Silver is built from bronze: run
`dbt build`, or `dbt run --select +{{ model.name }}`.
{%- endmacro %}
