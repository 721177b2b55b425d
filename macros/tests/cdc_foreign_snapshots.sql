{# Snapshots that this project did not write: their summaries carry neither progress nor a part of a batch. #}
{% macro cdc_foreign_snapshots(snapshots) %}
    {% set foreign = [] %}
    {% for snapshot in snapshots %}
        {% if 'cdc.batch-id' not in snapshot.summary and 'cdc.part-of-batch' not in snapshot.summary %}
            {% do foreign.append(snapshot) %}
        {% endif %}
    {% endfor %}
    {% do return(foreign) %}
{% endmacro %}
