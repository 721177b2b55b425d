{#
    Ties that this run resolves by the hash of the file's name. Looked for only where keys have more than one change,
    the changes are of more than one file or of a source position that has been applied, and the listing shows two files of
    one source position.
#}
{% macro cdc_count_ties(cdc, changes, plan) %}
    {% if cdc.mode == 'append' or changes.has_single_changes or not changes.may_tie %}
        {% do return(0) %}
    {% endif %}
    {% set listing = cdc_relation_of('raw_listing') %}
    {% set newest = cdc_newest_batches(cdc, listing, changes.after_batch_id) %}
    {% if newest.shared_batch_id <= changes.after_batch_id | int %}
        {% do return(0) %}
    {% endif %}
    {% set positions = [] %}
    {% for row in run_query(_shared_positions_sql(cdc, listing, changes.after_batch_id, changes.last_batch_id)) %}
        {% do positions.append(row['file_position']) %}
    {% endfor %}
    {% if not positions %}
        {% do return(0) %}
    {% endif %}
    {% set ties_sql = cdc_ties_sql(cdc, changes.log_sql, positions, plan, changes.after_batch_id) %}
    {% do return(run_query(ties_sql).rows[0]['ties']) %}
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
