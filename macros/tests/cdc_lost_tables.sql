{#
    The tables, and split tables, whose model failed or was skipped in this command: their files wait, which the model's own
    error says. Returns what the models have under meta.cdc.
#}
{% macro cdc_lost_tables() %}
    {% set tables = [] %}
    {% for unique_id in (adapter.notes('lost') if cdc_is_test() else {}) %}
        {% set lost = cdc_models().by_id.get(unique_id) %}
        {% do tables.append(lost.cdc) if lost and lost.layer in ['split', 'bronze'] %}
    {% endfor %}
    {% do return(tables) %}
{% endmacro %}
