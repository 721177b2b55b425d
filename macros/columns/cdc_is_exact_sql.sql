{#
    Whether a text is one of the forms that a type is written in, and its value came through whole
    (docs/architecture.md, Forms of text). Spark reads more than that, and changes it: half a date is completed, an
    offset or a digit is dropped.
    The plain text of a number needs no pattern: it is what the value is written as.
#}
{% macro cdc_is_exact_sql(text, value, type) -%}
{%- if type in ['tinyint', 'smallint', 'int', 'bigint'] -%}
    (cast({{ value }} as string) = {{ text }} or {{ text }} rlike '\\A[+-]?[0-9]++\\z')
{%- elif type.startswith('decimal') -%}
    {{ _cdc_is_exact_decimal_sql(text, value, type.split(',')[-1].rstrip(')')) }}
{%- elif type == 'float' -%}
    (
        {{ _cdc_is_exact_double_sql(text, value, 9, 7) }}
        or double({{ value }}) = try_cast({{ text }} as double) and {{ _cdc_is_exact_double_sql(text, value, 17, 16) }}
    )
{%- elif type == 'double' -%}
    {{ _cdc_is_exact_double_sql(text, value, 17, 16) }}
{%- elif type == 'boolean' -%}
    lower({{ text }}) in ('true', 'false', 't', 'f', '1', '0')
{%- elif type == 'date' -%}
    {{ text }} rlike '\\A(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T]00:00(?::00(?:\\.0++)?+)?+)?+\\z'
{%- elif type in ['timestamp', 'timestamp_ntz'] -%}
    {%- set zone = '(?: ?+(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?+))?+' if type == 'timestamp' else 'Z?+' -%}
    {%- set time = '[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\\\.[0-9]{1,6}+0*+)?+)?+' -%}
    {{ text }} rlike '\\A(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T]{{ time ~ zone }})?+\\z'
{%- else -%}
    true
{%- endif -%}
{%- endmacro %}


{# With an exponent no pattern can count the digits: they have to be those of the value. #}
{% macro _cdc_is_exact_decimal_sql(text, value, scale) -%}
(
        cast({{ value }} as string) = {{ text }}
        or {{ text }} rlike '\\A[+-]?(?:[0-9]++(?:\\.[0-9]{0,{{ scale }}}+0*+)?+|\\.(?=[0-9])[0-9]{0,{{ scale }}}+0*+)\\z'
        or {{ text }} rlike '\\A[+-]?(?:[0-9]++(?:\\.[0-9]*+)?+|\\.[0-9]++)[eE][+-]?[0-9]{1,4}\\z'
        and trim(both '0' from translate(substring_index(lower({{ text }}), 'e', 1), '+-.', ''))
            = trim(both '0' from translate(substring_index(cast({{ value }} as string), 'E', 1), '-.', ''))
    )
{%- endmacro %}


{#
    So many significant digits distinguish any number of the type from its neighbours; more of them would be lost. A whole
    number from so many digits on may have no number of the type. One that is too large becomes infinity and one that is too
    small zero: both only if the text is such a number.
#}
{% macro _cdc_is_exact_double_sql(text, value, digits, whole_digits) -%}
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
