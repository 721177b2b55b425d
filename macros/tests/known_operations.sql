{% test known_operations(model) %}
{{ cdc_blocks_nothing() }}
select
    _cdc_source_file,
    _cdc_file_row,
    _cdc_operation
from {{ model }}
where _cdc_quarantine_rule is null and (_cdc_operation is null or _cdc_operation not in ('L', 'I', 'U', 'D', 'T', 'R', 'X'))
{% endtest %}
