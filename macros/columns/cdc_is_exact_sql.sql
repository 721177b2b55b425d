{#
    Whether a text is one of the forms that a type is written in, and its value came through whole
    (docs/architecture.md, Forms of text). Spark reads more than that, and changes it: half a date is completed, an
    offset or a digit is dropped. The plain text of a number needs no pattern: it is what the value is written as.
#}
{% macro cdc_is_exact_sql(check) -%}
{%- set text, value, form = check.text, check.value, check.form -%}
{%- if form.kind == 'whole' -%}
(cast({{ value }} as string) = {{ text }} or {{ text }} rlike {{ adapter.string_literal(form.pattern) }})
{%- elif form.kind == 'decimal' -%}
{{ _is_exact_decimal_sql(text, value, form.pattern) }}
{%- elif form.kind == 'float' -%}
(
    {{ _is_exact_double_sql(text, value, 9, 7) | indent(4) }}
    or double({{ value }}) = try_cast({{ text }} as double)
    and {{ _is_exact_double_sql(text, value, 17, 16) | indent(4) }}
)
{%- elif form.kind == 'double' -%}
{{ _is_exact_double_sql(text, value, 17, 16) }}
{%- else -%}
{{ text ~ ' rlike ' ~ adapter.string_literal(form.pattern) if form.pattern else 'true' }}
{%- endif -%}
{%- endmacro %}


{# With an exponent no pattern can count the digits: they have to be those of the value. #}
{% macro _is_exact_decimal_sql(text, value, pattern) -%}
(
    cast({{ value }} as string) = {{ text }}
    or {{ text }} rlike {{ adapter.string_literal(pattern) }}
    or {{ text }} rlike '\\A[+-]?(?:[0-9]++(?:\\.[0-9]*+)?+|\\.[0-9]++)[eE][+-]?[0-9]{1,4}\\z'
    and trim(both '0' from translate(substring_index(lower({{ text }}), 'e', 1), '+-.', ''))
        = trim(both '0' from translate(substring_index(cast({{ value }} as string), 'E', 1), '-.', ''))
)
{%- endmacro %}


{#
    So many significant digits distinguish any number of the type from its neighbours; more of them would be lost. A
    whole number from so many digits on may have no number of the type. One that is too large becomes infinity and one
    that is too small zero: both only if the text is such a number.
#}
{% macro _is_exact_double_sql(text, value, digits, whole_digits) -%}
{%- set is_short = '(?![0.]*+(?:[0-9]\\\\.?+){' ~ digits ~ '}[0.]*+[1-9])' -%}
(
    {{ text }} rlike '\\A[+-]?{{ is_short }}(?:[0-9]++(?:\\.[0-9]*+)?+|\\.[0-9]++)(?:[eE][+-]?[0-9]{1,4})?+\\z'
    and abs({{ value }}) < double('Infinity')
    and ({{ value }} <> 0 or not {{ text }} rlike '\\A[^eE]*[1-9]')
    and (
        not {{ text }} rlike '\\A[+-]?[0-9]{{ '{' ~ whole_digits ~ ',}' }}(?:\\.0*+)?+\\z'
        or coalesce(try_cast({{ text }} as decimal(38, 0)) = try_cast({{ value }} as decimal(38, 0)), true)
    )
    or {{ text }} rlike '\\A(?:NaN|[+-]?Infinity)\\z'
)
{%- endmacro %}
