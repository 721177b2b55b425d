{# A key as somebody types it: one value, a list in the order of the key, or a mapping. #}
{% macro cdc_explain_key(cdc, table, key) %}
    {% set names = cdc.primary_key %}
    {% set example = '{' ~ names | join(': …, ') ~ ': …}' if names | length > 1 else '…' %}
    {% set expected = 'The key of ' ~ table ~ ' is ' ~ names | join(', ')
        ~ ': expected --args ' ~ "'{table: " ~ table ~ ', key: ' ~ example ~ "}'." %}
    {% if key is mapping %}
        {% set given = dict(zip(key.keys() | map('lower'), key.values())) %}
        {% if given.keys() | sort | list != names | map('lower') | sort | list %}
            {% do exceptions.raise_compiler_error(
                'CDC error (explain_row): the key has the part(s) ' ~ key.keys() | join(', ') ~ '. ' ~ expected
            ) %}
        {% endif %}
    {% else %}
        {% set values = key if key is sequence and key is not string else [key] %}
        {% if values | length != names | length %}
            {% do exceptions.raise_compiler_error(
                'CDC error (explain_row): ' ~ values | length ~ ' value(s) for a key of ' ~ names | length ~ '. ' ~ expected
            ) %}
        {% endif %}
        {% set given = dict(zip(names | map('lower'), values)) %}
    {% endif %}
    {% set parts = {} %}
    {% for name in names %}
        {% set value = given[name | lower] %}
        {% do parts.update({name: none if value is none else value | string}) %}
    {% endfor %}
    {% do return(parts) %}
{% endmacro %}
