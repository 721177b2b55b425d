{# The order of the messages that bronze has, for a table whose summaries do not show it. #}
{% macro cdc_source_log_of_bronze_sql(bronze) -%}
select {{ cdc_source_log_sql() | indent(4) }}
from (
    select
        substring({{ cdc_sequence_part('_cdc_sequence', 'listed_position') }}, 3) as position,
        case when _cdc_operation = 'L' then 'load' when _cdc_operation in ('I', 'U', 'D') then 'change' end as kind,
        _cdc_committed_at as committed_at,
        cast(null as string) as malformed
    from {{ bronze }}
    where _cdc_quarantine_rule is null
) as messages
{%- endmacro %}
