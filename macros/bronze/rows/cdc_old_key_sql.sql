{#
    An update that changed the key carries the old one in its before images. A file without them, or an update of
    a feed that fills them for changed columns only, has no value in any.
#}
{% macro cdc_old_key_sql(before_images) -%}
{%- if not before_images -%}
cast(null as map <string, string>)
{%- else -%}
case
    when
        _cdc_operation = 'U'
        and not (
            {%- for image in before_images %}
            {{ cdc_cast_sql(image) }} is null{{ ' and' if not loop.last }}
            {%- endfor %}
        )
        and not (
            {%- for image in before_images %}
            {{ cdc_cast_sql(image) }} <=> {{ cdc_cast_sql(image.key) }}{{ ' and' if not loop.last }}
            {%- endfor %}
        )
        then map(
            {%- for image in before_images %}
            {%- set value = 'cast(' ~ cdc_cast_sql(image) ~ ' as string)' %}
            {%- set value = 'try_validate_utf8(' ~ value ~ ')' if image.type == 'string' else value %}
            {{ adapter.string_literal(image.key.name) }}, {{ value }}{{ ',' if not loop.last }}
            {%- endfor %}
        )
end
{%- endif -%}
{%- endmacro %}
