{# rejected_files with the versions that the batch will add to it, for the from clause of a query. #}
{% macro cdc_rejected_sql(cdc, rejected, files_sql, rejections) -%}
(
    select
        feed,
        source_schema,
        source_table,
        path,
        size,
        modified_at,
        rule,
        reason,
        batch_id,
        rejected_at
    from {{ rejected }}
    union all
    (
        {{ cdc_rejections_sql(cdc, files_sql, rejections) | indent(8) }}
    )
)
{%- endmacro %}
