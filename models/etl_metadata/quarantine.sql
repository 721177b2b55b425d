{#
    Quarantined rows stay in bronze, committed with their batch. This view only gathers them from all tables. What has
    overtaken a row is asked of tables that have any.
#}
{{ config(materialized='view', meta={'cdc': {'layer': 'view'}, 'runs_after_failures': true}) }}
{% set quarantined = cdc_data_tests().list_quarantined() if execute else [] %}
{% for table in cdc_built('bronze', ref) %}
{% set has_rows = quarantined | selectattr('feed', 'equalto', table.feed)
    | selectattr('source_schema', 'equalto', table.source_schema)
    | selectattr('source_table', 'equalto', table.source_table) | list %}
select
    {{ cdc_table_columns_sql(table) | indent(4) }},
    _cdc_source_file as source_file,
    _cdc_file_row as file_row,
    _cdc_quarantine_rule as rule,
    _cdc_quarantine_reason as reason,
    _cdc_quarantine_content as content,
    _cdc_sequence as sequence,
    _cdc_batch_id as batch_id,
    _cdc_ingested_at as ingested_at,
    case
        when exists (
            select 1
            from {{ table.relation }} as good
            where good._cdc_sequence = _cdc_bad._cdc_sequence and {{ cdc_is_released_sql('good') }}
        )
            then 'replayed'
        when {{ cdc_is_superseded_sql('_cdc_bad', table.relation) | indent(8) }}
            then 'overwritten'
        {% if has_rows %}
        when _cdc_bad._cdc_sequence in (
            {{ cdc_overtaken_sql(cdc_project().describe_bronze(table.relation), table.relation) | indent(12) }}
        )
            then 'overtaken'
        {% endif %}
        else 'waiting'
    end as status
from {{ table.relation }} as _cdc_bad
where _cdc_bad._cdc_quarantine_rule is not null
{{ 'union all' if not loop.last }}
{% else %}
{{ cdc_empty_rows_sql('quarantine') }}
{% endfor %}
