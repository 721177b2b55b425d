{#
    The newest snapshot that changed rows: one of a compaction has the same rows, and no model has anything to do with it.
#}
{% macro cdc_current_snapshot_id(relation) %}
    {% set result = run_query(cdc_current_snapshot_sql(relation)) %}
    {% do return(result.columns[0].values()[0] | int if result | length > 0 else 0) %}
{% endmacro %}
