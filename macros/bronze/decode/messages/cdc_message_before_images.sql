{#
    The key columns that an update carries with their value before it, in the form of a plan: an old key that cannot be
    read is no key, and the update waits in quarantine.
#}
{% macro cdc_message_before_images(cdc, plan) %}
    {% set images = [] %}
    {% for column in plan if column.name | lower in cdc.primary_key | map('lower') and column.type != 'binary' %}
        {% do images.append({
            'name': 'before image of ' ~ column.name,
            'key': column.name,
            'raw_type': 'string',
            'type': column.type,
            'sql': '_cdc_before[' ~ adapter.string_literal(cdc_file_name(column.name) | lower) ~ ']',
        }) %}
    {% endfor %}
    {% do return(images) %}
{% endmacro %}
