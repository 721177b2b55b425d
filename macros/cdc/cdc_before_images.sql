{#
    The columns that hold the key as it was before the change (docs/contracts.md section 1.7), in the form of a plan:
    their values are cast to the key's type and judged like any other. A key is known to have changed only where
    each of its columns has a before image.
#}
{% macro cdc_before_images(cdc, raw, plan) %}
    {% set images = [] %}
    {% for key in cdc.primary_key if raw.view is not none and cdc.options.get('before_image_prefix') %}
        {% set name = cdc.options.before_image_prefix ~ key %}
        {% set columns = cdc.columns if cdc.format == 'csv' and not cdc.options.header else raw.columns %}
        {% for column in columns if column.name | lower == name | lower %}
            {% set raw_type = 'string' if cdc.format == 'csv' else column.type %}
            {% for entry in plan if entry.name | lower == key | lower %}
                {% do images.append({
                    'name': column.name, 'raw_type': raw_type, 'type': entry.type, 'key': entry.name, 'key_column': entry,
                }) %}
            {% endfor %}
        {% endfor %}
    {% endfor %}
    {% do return(images if images | length == cdc.primary_key | length else []) %}
{% endmacro %}
