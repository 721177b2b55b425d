{{ cdc_bronze_sql(given_table('csv', header=true), given_files_sql(), {
    'view': 'raw_view',
    'columns': [{'name': 'new', 'type': 'string'}],
    'drift_sql': cdc_schema_drift_sql(
        given_table('csv', header=true), {'columns': [{'name': 'new', 'type': 'string'}]}, given_target()
    ),
}, given_plan('string')) }}
