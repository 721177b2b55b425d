{% macro given_files_sql(mixed=false) -%}
{{ cdc_new_files_sql(
    'etl_metadata.raw_listing', 'etl_metadata.rejected_files', given_table(), 7,
    split='etl_metadata.split_retail' if mixed else none
) }}
{%- endmacro %}
