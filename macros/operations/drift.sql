{#
    Prints what the files that wait would change in the tables, and writes nothing. `make drift` lists the landing area
    first.
#}
{% macro drift() %}
    {% if load_relation(ref('raw_listing')) is none %}
        {% do exceptions.raise_compiler_error(
            'CDC error (drift): there is no listing of the landing area yet. Run make drift, or first'
            ~ ' dbt run --select rejected_files raw_listing.'
        ) %}
    {% endif %}
    {% set rows = [] %}
    {% for node in cdc_models_of('bronze') %}
        {% do rows.extend(cdc_drift_of(node)) %}
    {% endfor %}
    {{ print(cdc_drift_text(rows)) }}
{% endmacro %}
