{# Times as text, as Jinja hands them on. Generations from the second on: nothing is there that the first could end. #}
{% macro cdc_generation_starts_sql(changes_sql) -%}
with changes as (
    {{ changes_sql | indent(4) }}
)

select
    {{ cdc_sequence_part('min(_cdc_sequence)', 'generation') }} as generation,
    date_format(min(_cdc_committed_at), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as committed_at,
    date_format(
        min(_cdc_committed_at) filter (where _cdc_operation = 'L'), 'yyyy-MM-dd HH:mm:ss.SSSSSS'
    ) as loaded_at
from changes
where _cdc_sequence >= '000002' and _cdc_operation <> 'R'
group by _cdc_generation
{%- endmacro %}
