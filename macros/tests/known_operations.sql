{# Where silver is compared step by step, silver_matches_bronze finds the row that an unknown operation made. #}
{% test known_operations(model) %}
{{ cdc_blocks_nothing() }}
{%- if not cdc_is_test() or not cdc_data_tests().compares_steps(model) %}
select
    _cdc_source_file,
    _cdc_file_row,
    _cdc_operation
from {{ model }}
where
    _cdc_quarantine_rule is null
    and (_cdc_operation is null or _cdc_operation not in ('L', 'I', 'U', 'D', 'T', 'R', 'X'))
{%- endif %}
{% endtest %}
