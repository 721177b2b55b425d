{% macro cdc_is_ancestor(relation, snapshot_id) %}
    {% set result = run_query(
        'select count(*) from ' ~ relation ~ '.snapshots as snapshots inner join ' ~ relation ~ '.history as history'
        ~ ' on snapshots.snapshot_id = history.snapshot_id'
        ~ ' where history.is_current_ancestor and snapshots.snapshot_id = ' ~ snapshot_id
    ) %}
    {% do return(result.columns[0].values()[0] > 0) %}
{% endmacro %}
