{# The reloads that wait in quarantine: no later truncate or complete reload has removed what they would remove. #}
{% macro cdc_held_reloads_sql(bronze) -%}
select
    held._cdc_generation as generation,
    held._cdc_quarantine_reason as reason,
    held._cdc_quarantine_content as unread
from {{ bronze }} as held
where
    held._cdc_quarantine_rule = 'incomplete_reload'
    and {{ cdc_sequence_part('held._cdc_sequence', 'generation') }} > (
        select coalesce(max({{ cdc_reset_point_sql() | indent(8) }}), '')
        from {{ bronze }}
        where _cdc_quarantine_rule is null
    )
{%- endmacro %}
