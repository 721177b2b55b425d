{# The columns of what cdc_new_runs finds, as the model run_metrics reads them. #}
{% macro cdc_new_runs_schema() %}
    {% do return(
        'feed string, source_schema string, source_table string, silver_table string, snapshot_id bigint,'
        ~ ' committed_at string, is_current boolean, is_newest boolean, rows_total bigint, summary map<string, string>'
    ) %}
{% endmacro %}
