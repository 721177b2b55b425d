{#
    The columns that hold the key as it was before the change (docs/contracts.md section 1.7), in the form of a plan:
    their values are cast to the key's type and judged like any other, but not those of a delete. A key is known to have
    changed only where each of its columns has a before image.
#}
{% macro cdc_before_images(cdc, raw, plan) %}
    {% if cdc.format == 'json' and raw.view is not none %}
        {% do return(cdc_message_before_images(cdc, plan)) %}
    {% endif %}
    {% set images = [] %}
    {% set prefix = cdc.options.get('before_image_prefix') %}
    {% set columns = cdc.columns if cdc.format == 'csv' and not cdc.options.header else raw.columns %}
    {% for entry in plan if prefix and raw.view is not none and entry.name | lower in cdc.primary_key | map('lower') %}
        {% set types = [] %}
        {% set names = [] %}
        {% for column in columns %}
            {% set name = column.get('file_name', column.name) %}
            {% if name.startswith(prefix) and name[prefix | length:] | lower == cdc_file_name(entry.name) | lower %}
                {% do names.append(column.name) %}
                {% do types.append('string' if cdc.format == 'csv' else column.type) if column.type != 'void' %}
            {% endif %}
        {% endfor %}
        {% if names %}
            {% set is_cast = types | unique | list | length > 1 %}
            {% do images.append({
                'name': names[0], 'raw_type': entry.type if is_cast else types | first | default(none), 'type': entry.type,
                'key': entry.name, 'key_column': entry, 'is_cast': is_cast,
            }) %}
        {% endif %}
    {% endfor %}
    {% do return(images if images | length == cdc.primary_key | length else []) %}
{% endmacro %}
