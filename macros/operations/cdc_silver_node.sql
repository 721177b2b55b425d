{# A command has no model of its own: its table is found by name in dbt's graph. #}
{% macro cdc_silver_node(table) %}
    {% set known = {} %}
    {% for node in cdc_models_of('silver') %}
        {% do known.update({node.alias: node}) %}
    {% endfor %}
    {% set name = (table | string).split('.')[-1] %}
    {% if name not in known %}
        {% do exceptions.raise_compiler_error(
            "CDC error (cdc_silver_node): there is no silver table '" ~ table ~ "'. Expected one of: "
            ~ (known | sort | join(', ') or 'none, no row of seeds/cdc_tables.csv is active') ~ '.'
        ) %}
    {% endif %}
    {% do return(known[name]) %}
{% endmacro %}
