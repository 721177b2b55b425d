{{ cdc_bronze_sql(
    given_table('csv', header=false),
    given_files_sql(),
    {'view': 'raw_view', 'has_short_records': true, 'bronze': 'bronze.shop__order'},
    given_plan('string')
) }}
