{{ cdc_findings_sql(
    cdc_lost_values_sql({'cdc': given_table(), 'rows_sql': 'select * from rows', 'keeps_absent': false})
) }}
union all
{{ cdc_not_asked_sql(given_table(), 'no column k') }}
