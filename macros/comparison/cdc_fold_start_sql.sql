{# The state before the first change of a key: no row, or the row that silver had, if it had one. #}
{% macro cdc_fold_start_sql(comparison) -%}
struct(
    {{ comparison.was_alive }} as live,
    {{ "coalesce(rows_before._cdc_sequence, '')" if comparison.continues else "''" }} as sequence,
    struct(
        {{ comparison.image_before | join(',\n        ') }}
    ) as image
)
{%- endmacro %}
