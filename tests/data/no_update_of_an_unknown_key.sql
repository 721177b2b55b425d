{# Guards against rows of which the key was changed at the source, without before images: the old row would stay. #}
{{ config(severity='warn') }}
-- depends_on: {{ ref('run_metrics') }}
{{ cdc_data_tests().ask_unknown_keys() if cdc_is_test() }}
