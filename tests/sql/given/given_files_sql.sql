{% macro given_files_sql(multi_table=false) -%}
{{ cdc_new_files_sql(
    'etl_metadata.raw_listing', 'etl_metadata.rejected_files', given_table(), 7,
    split='etl_metadata.split_retail' if multi_table else none
) }}
{%- endmacro %}
