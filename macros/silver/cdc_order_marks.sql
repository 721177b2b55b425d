{#
    What bronze found in the order of its messages. Before any change a second snapshot brings rows that are there already;
    they are other rows only where a table has no key.
#}
{% macro cdc_order_marks(summary, mode) %}
    {% set marks, second = {}, summary.get('cdc.second-snapshot') %}
    {% if second == 'after changes' or (second and mode == 'append') %}
        {% do marks.update({'cdc.second-snapshot': 'true'}) %}
    {% endif %}
    {% if 'cdc.log-began-again' in summary %}
        {% do marks.update({'cdc.log-began-again': 'true'}) %}
    {% endif %}
    {% do return(marks) %}
{% endmacro %}
