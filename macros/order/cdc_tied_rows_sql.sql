{#
    A condition on rows of bronze that may share their source position with others: those at given positions, or all from
    one on. The bound lets Iceberg skip the files of earlier positions.
#}
{% macro cdc_tied_rows_sql(first_position, positions=()) -%}
{%- if positions -%}
{{ cdc_sequence_part('_cdc_sequence', 'listed_position') }} in (
    {%- for position in positions -%}
    {{ adapter.string_literal(position) }}{{ ', ' if not loop.last }}
    {%- endfor -%}
)
{%- else -%}
_cdc_sequence >= {{ adapter.string_literal(first_position) }}
{%- endif -%}
{%- endmacro %}
