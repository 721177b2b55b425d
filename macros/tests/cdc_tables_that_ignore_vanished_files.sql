{# The cdc descriptions of the bronze models whose row in seeds/cdc_tables.csv says `vanished_files` = ignore. #}
{% macro cdc_tables_that_ignore_vanished_files() %}
    {% set tables = [] %}
    {% for node in graph.get('nodes', {}).values() if node.resource_type == 'model' %}
        {% set cdc = node.config.meta.get('cdc', {}) %}
        {% if cdc.get('layer') == 'bronze' and cdc.vanished_files == 'ignore' %}
            {% do tables.append(cdc) %}
        {% endif %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
