{#
    Builds a silver table from all of bronze beside the live one, checks it as the test silver_matches_bronze does, and
    replaces the live one by one commit that carries the progress: readers see the old table or the new one. Killed at
    any point it is simply repeated: dbt run-operation rebuild_silver --args '{table: sampledb__product}'
#}
{% macro rebuild_silver(table) %}
    {% set node = cdc_silver_node(table) %}
    {% set cdc = node.cdc %}
    {% set silver = cdc_relation_of(node) %}
    {% set helper = api.Relation.create(
        database=node.database, schema=node.schema, identifier=node.alias ~ '__rebuild'
    ) %}
    {% set bronze = cdc_required_bronze(node) %}
    {% set plan = adapter.call_function('python_udfs.pipeline.silver.plan_rebuild', {
        'warehouse': adapter, 'sql': context, 'cdc': cdc, 'this': silver, 'bronze': bronze,
        'many_rows': var('cdc_replace_rows_from'),
    }) %}
    {% set clauses = cdc_table_clauses_sql(node.config) %}
    {{ print('1 of 4: building ' ~ helper ~ ' from ' ~ plan.changes.changes ~ ' changes in ' ~ bronze) }}
    {% set select_sql = cdc_silver_query(cdc, bronze, plan) %}
    {% do run_query('create or replace table ' ~ helper ~ '\n' ~ clauses ~ '\nas\n' ~ select_sql) %}
    {{ print('2 of 4: checking it') }}
    {% do validate_rebuilt(cdc, bronze, helper, plan.changes.to_snapshot_id) %}
    {% set counts = adapter.call_function('python_udfs.pipeline.operations.describe_counts', {
        'before': adapter.query(cdc_count_sql(silver)) if load_relation(silver) is not none else none,
        'after': adapter.query(cdc_count_sql(helper)),
    }) %}
    {{ print('3 of 4: replacing ' ~ silver ~ ': ' ~ counts) }}
    {% do adapter.set_snapshot_properties(plan.progress) %}
    {% do run_query('create or replace table ' ~ silver ~ '\n' ~ clauses ~ '\nas\nselect *\nfrom ' ~ helper) %}
    {{ print('4 of 4: dropping ' ~ helper) }}
    {% do run_query('drop table ' ~ helper) %}
    {{ print(silver ~ ' is rebuilt. The next run continues from it.') }}
{% endmacro %}
