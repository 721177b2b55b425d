{%- set columns = given_file_columns() + [{'name': 'note', 'type': 'binary'}, {'name': 'tags', 'type': 'string'}] -%}
{%- set price = adapter.call_function('python_udfs.pipeline.columns.Column', {
    'name': 'price', 'type': 'double', 'raw_type': 'double', 'is_cast': true,
}) -%}
{{ cdc_bronze_sql(
    given_table(),
    given_files_sql(),
    given_rows(columns + [{'name': 'price', 'column': 'price of text', 'type': 'string'}]),
    given_plan()[:2] + (price, given_column('note', 'string', 'binary'), given_column('tags', 'array<int>', 'string'))
) }}
