{#
    The order of _cdc_sequence, oldest file first: files of one time by name. It decides the types of columns
    (cdc_column_plan).
#}
{% macro cdc_paths_in_order(files) %}
    {% set keyed = [] %}
    {% for file in files %}
        {% set is_load = file['kind'] == 'load' %}
        {% set time = '' if is_load else file.get('file_time') | string %}
        {% set version = file.get('modified_at') | string %}
        {% do keyed.append([file.get('generation') or 0, not is_load, time, file['path'], version]) %}
    {% endfor %}
    {% do return(keyed | sort | map(attribute=3) | list) %}
{% endmacro %}
