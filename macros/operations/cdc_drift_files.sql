{#
    The files that wait for a table, as find_new_files has them, and the first of them, whose values are read: 16 MB, and one
    file whatever its size.
#}
{% macro cdc_drift_files(sql) %}
    {% set files = {'paths': [], 'first_paths': [], 'names': [], 'has_multi_table': false, 'last_batch_id': 0} %}
    {% set bytes = namespace(before=0) %}
    {% for file in run_query('select *\nfrom (' ~ sql ~ ')\norder by ' ~ cdc_file_order_sql()) if file['is_newest'] %}
        {% if file['kind'] == 'multi_table' %}
            {% do files.update({'has_multi_table': true}) %}
            {% do files.names.extend(fromjson(file.get('names') or '[]')) %}
        {% elif file['kind'] != 'truncate' %}
            {% do files.paths.append(file['path']) %}
            {% do files.first_paths.append(file['path']) if bytes.before < 16000000 %}
            {% set bytes.before = bytes.before + file['size'] %}
        {% endif %}
        {% do files.update({'last_batch_id': [files.last_batch_id, file['batch_id'] | int] | max}) %}
    {% endfor %}
    {% do return(files) %}
{% endmacro %}
