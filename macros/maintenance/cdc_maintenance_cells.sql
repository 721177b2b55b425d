{% macro cdc_maintenance_cells(name, what, before, after) %}
    {% set cells = [name, what] %}
    {% for key in ['files', 'deleted_rows', 'snapshots', 'bytes'] %}
        {% set numbers = [] %}
        {% for state in [before, after] %}
            {% do numbers.append('%.1f' % (state[key] / 1048576) if key == 'bytes' else state[key] | int | string) %}
        {% endfor %}
        {% do cells.append(numbers | unique | join(' → ')) %}
    {% endfor %}
    {% do return(cells) %}
{% endmacro %}
