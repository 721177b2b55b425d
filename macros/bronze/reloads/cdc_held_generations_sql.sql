{# A row of a file whose operation is R breaks another rule. #}
{% macro cdc_held_generations_sql(existing) -%}
select
    _cdc_generation as generation,
    bool_or(_cdc_quarantine_rule is null) as is_complete,
    max(_cdc_quarantine_content) as unread
from {{ existing }}
where _cdc_operation = 'R' and coalesce(_cdc_quarantine_rule, 'incomplete_reload') = 'incomplete_reload'
group by _cdc_generation
{%- endmacro %}
