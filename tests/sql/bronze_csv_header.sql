{%- set columns = [{'name': 'new', 'type': 'string'}] -%}
{{ cdc_bronze_sql(given_table('csv', header=true), given_files_sql(), given_rows(columns, {
    'drift_sql': cdc_schema_drift_sql(given_table('csv', header=true), given_rows(columns), given_target()),
}), given_plan('string')) }}
