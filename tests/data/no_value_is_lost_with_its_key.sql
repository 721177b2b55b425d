{# Guards against rows that took another key while a long value did not change: the source did not send it again. #}
{{ config(severity='warn') }}
-- depends_on: {{ ref('run_metrics') }}
{{ cdc_blocks_nothing() }}
{{ cdc_data_tests().ask_lost_values() if cdc_is_test() }}
