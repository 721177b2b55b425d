{%- set columns = given_file_columns()[:3] + [
    {'name': 'BI_id', 'type': 'int'}, {'name': 'BI_line no', 'type': 'int'}, {'name': 'change_seq', 'type': 'string'},
] -%}
{{ cdc_bronze_sql(
    given_table(partial=true),
    given_files_sql(),
    given_rows(columns, {'schemas': [columns, columns[:2]], 'drift_sql': cdc_schema_drift_sql(
        given_table(), given_rows((), {'schemas': [columns, given_file_columns()]}), given_target()
    )}),
    given_plan()
) }}
