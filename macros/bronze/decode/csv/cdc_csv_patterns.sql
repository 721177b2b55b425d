{#
    What the patterns over CSV text are made of (docs/architecture.md). A quote opens a quoted value only at the
    beginning of a field. No repetition gives anything back, so a long value is read once and takes no stack.
#}
{% macro cdc_csv_patterns(delimiter) %}
    {% set delimiter = delimiter.replace('\\t', '\t') %}
    {# By its number: some delimiters mean something in a pattern. #}
    {% set escaped = '\\\\x{' ~ delimiter.encode('utf-16-be').hex() ~ '}' %}
    {% set opened = '"[^"]*+(?:""[^"]*+)*+' %}
    {% do return({
        'delimiter': escaped,
        'opened': opened,
        'quoted': opened ~ '"[^' ~ escaped ~ ']*+',
        'unquoted': '[^"' ~ escaped ~ '][^' ~ escaped ~ ']*+',
    }) %}
{% endmacro %}
