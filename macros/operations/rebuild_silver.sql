{#
    Builds a silver table from all of bronze beside the live one, checks it as the test silver_matches_bronze does, and
    replaces the live one by one commit that carries the progress: readers see the old table or the new one. Killed at
    any point it is simply repeated: dbt run-operation rebuild_silver --args '{table: sampledb__product}'
#}
{% macro rebuild_silver(table) %}
    {% do adapter.call_function('python_udfs.pipeline.rebuild.rebuild_silver', {
        'project': cdc_project(), 'table': table, 'many_rows': var('cdc_replace_rows_from'),
    }) %}
{% endmacro %}
