{% macro cdc_drift_text(rows) %}
    {% if not rows %}
        {% do return('Nothing would change: no file waits that brings another column or type.') %}
    {% endif %}
    {% do return(cdc_text_table(['table', 'files that wait', 'the next run'], rows)) %}
{% endmacro %}
