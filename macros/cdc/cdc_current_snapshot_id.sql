{% macro cdc_current_snapshot_id(relation) %}
    {% set result = run_query("select snapshot_id from " ~ relation ~ ".refs where name = 'main'") %}
    {% do return(result.columns[0].values()[0] | int if result | length > 0 else 0) %}
{% endmacro %}
