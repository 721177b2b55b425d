{%- set cdc = given_table('csv', multi_table=true) -%}
{%- set layout = adapter.call_function('python_udfs.pipeline.csv_layout.lay_out_csv', {
    'cdc': cdc, 'columns': given_plan('string'), 'warehouse': adapter,
}) -%}
{{ cdc_csv_short_records_sql(layout, given_files_sql(multi_table=true), 'raw_view') }}
