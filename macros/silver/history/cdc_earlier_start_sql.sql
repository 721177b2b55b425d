{# The bounds on the sequence let Iceberg skip the files of other generations and, for a load, those of its changes. #}
{% macro cdc_earlier_start_sql(log_sql, start) -%}
with log as (
    {{ log_sql | indent(4) }}
)

select _cdc_sequence
from log
where
    _cdc_sequence >= '{{ start.generation }}'
    {%- if start.loaded_at %}
    and _cdc_sequence < '{{ start.generation }}.1'
    and _cdc_committed_at < timestamp '{{ start.loaded_at }}'
    {%- else %}
    and _cdc_generation = {{ start.generation | int }}
    and (_cdc_sequence < '{{ start.generation }}.1' or _cdc_committed_at < timestamp '{{ start.committed_at }}')
    {%- endif %}
limit 1
{%- endmacro %}
