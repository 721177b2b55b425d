{% macro cdc_call_sql(table, step) -%}
call system.{{ step.procedure }}(
    table => {{ adapter.string_literal(table) }}
    {%- if step.options %},
    options => map(
        {%- for name, value in step.options.items() %}
        {{ adapter.string_literal(name) }}, {{ adapter.string_literal(value) }}{{ ',' if not loop.last }}
        {%- endfor %}
    )
    {%- endif %}
    {{- ',\n    older_than => timestamp ' ~ adapter.string_literal(step.older_than) if step.older_than }}
    {{- ',\n    retain_last => ' ~ step.retain_last if step.retain_last is not none }}
    {%- if step.columns %},
    columns => array(
        {%- for name in step.columns %}{{ adapter.string_literal(name) }}{{ ', ' if not loop.last }}{% endfor -%}
    )
    {%- endif %}
)
{%- endmacro %}
