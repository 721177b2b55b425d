{# Of the rows that came since the table's silver was compared last. #}
{% test known_operations(model) %}
{{ cdc_blocks_nothing() }}
{%- set after_batch_id = cdc_checked_batch_id(model) if execute and flags.WHICH in ['test', 'build'] else 0 %}
{%- if not after_batch_id or cdc_last_batch_id(model) > after_batch_id %}
select
    _cdc_source_file,
    _cdc_file_row,
    _cdc_operation
from {{ model }}
where
    _cdc_quarantine_rule is null
    and (_cdc_operation is null or _cdc_operation not in ('L', 'I', 'U', 'D', 'T', 'R', 'X'))
    {%- if after_batch_id %}
    and _cdc_batch_id > {{ after_batch_id }}
    {%- endif %}
{%- endif %}
{% endtest %}
