{#
    Ties that this run resolves by a hash. Looked for only where keys have more than one change, and the changes are of more
    than one file (messages: of more than one partition of a topic) or of a source position that has been applied. Of
    files the listing has to show two of one source position; of messages nothing does, and the log is read from the first
    position of the batch.
#}
{% macro cdc_count_ties(cdc, changes, plan) %}
    {% set has_order = changes.has_one_order and not changes.has_applied_positions %}
    {% if cdc.mode == 'append' or changes.has_single_changes or has_order %}
        {% do return(0) %}
    {% endif %}
    {% set bronze = cdc_node_of('bronze', cdc) %}
    {% set has_messages = bronze and bronze.cdc.format == 'json' %}
    {#- The bound lets Iceberg skip the files of earlier positions. -#}
    {% set behind_sql = '_cdc_sequence >= ' ~ adapter.string_literal(changes.first_position) %}
    {% set tied_sql = behind_sql if has_messages else _tied_files_sql(cdc, changes) %}
    {% if not tied_sql %}
        {% do return(0) %}
    {% endif %}
    {% set log_sql = changes.sql if has_messages and not changes.has_applied_positions else changes.log_sql %}
    {% set ties_sql = cdc_ties_sql(cdc, log_sql, tied_sql, plan, changes.after_batch_id) %}
    {% do return(run_query(ties_sql).rows[0]['ties']) %}
{% endmacro %}


{# A condition on the rows of files that share their source position with others; nothing if none do. #}
{% macro _tied_files_sql(cdc, changes) %}
    {% set listing = cdc_relation_of('raw_listing') %}
    {% set newest = cdc_newest_batches(cdc, listing, changes.after_batch_id) %}
    {% if newest.shared_batch_id <= changes.after_batch_id | int %}
        {% do return(none) %}
    {% endif %}
    {% set positions = [] %}
    {% for row in run_query(_shared_positions_sql(cdc, listing, changes.after_batch_id, changes.last_batch_id)) %}
        {% do positions.append(adapter.string_literal(row['file_position'])) %}
    {% endfor %}
    {% set position = cdc_sequence_part('_cdc_sequence', 'listed_position') %}
    {% do return(position ~ ' in (' ~ positions | join(', ') ~ ')' if positions else none) %}
{% endmacro %}


{#
    Source positions, without their generation, that more than one file has, one of them in a batch that silver has not
    applied.
#}
{% macro _shared_positions_sql(cdc, listing, after_batch_id, last_batch_id) -%}
{%- set files_sql -%}
select *
from {{ listing }}
where
    feed = {{ adapter.string_literal(cdc.feed) }}
    and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
    and source_table = {{ adapter.string_literal(cdc.source_table) }}
    and kind in ('load', 'change')
    and batch_id <= {{ last_batch_id }}
{%- endset -%}
with files as (
    {{ cdc_file_position_sql(files_sql) | indent(4) }}
)

select file_position
from files
group by file_position
having count(distinct file_key) > 1 and max(batch_id) > {{ after_batch_id }}
{%- endmacro %}
