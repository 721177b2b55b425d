{{ cdc_report_expectations_sql('etl_metadata.expectation_results') }}
