{#
    dbt skips what depends on a model that failed, and run_metrics and the views over all tables depend on every model.
    Those that it skipped are made here of the tables that exist.
#}
{% macro cdc_make_skipped_views(results) %}
    {% set skipped = {} %}
    {% for result in results if execute and result.status == 'skipped' %}
        {% do skipped.update({result.node.name: result.node}) %}
    {% endfor %}
    {% set views = ['run_metrics', 'raw_processed_files', 'silver_sync_state', 'quarantine'] %}
    {% for name in views if name in skipped and _has_built_table(skipped[name]) %}
        {% set relation = cdc_relation_of(skipped[name]) %}
        {#- A hook may not ref() what it does not declare; the relations are the same. -#}
        {% set sql = render('{% set ref = cdc_relation_of %}' ~ skipped[name].raw_code) %}
        {% if name == 'run_metrics' %}
            {% do _record_runs(relation, sql, skipped[name].config) %}
            {#- silver_sync_state reads it. -#}
            {% do adapter.cache_added(relation) %}
        {% else %}
            {% do run_query(sparksession_view_sql(relation, sql)) %}
        {% endif %}
        {% do log(name ~ ': dbt skipped it; made of the tables that exist', info=true) %}
    {% endfor %}
{% endmacro %}


{# What another run has recorded meanwhile is the same. #}
{% macro _record_runs(relation, sql, settings) %}
    {% set recorded = load_relation(relation) %}
    {% do adapter.start_write(recorded) if recorded is not none %}
    {% set found = cdc_new_runs(recorded, cdc_built('silver', cdc_relation_of)) %}
    {% set write_sql = none %}
    {% if recorded is none %}
        {% set write_sql = 'create table ' ~ relation ~ '\n' ~ cdc_table_clauses_sql(settings) ~ '\nas\n' ~ sql %}
    {% elif found.is_new %}
        {% set write_sql = cdc_record_runs_sql(recorded, sql, found) %}
    {% endif %}
    {% set done = adapter.attempt(write_sql, relation) if write_sql else {} %}
    {% if done.error and not done.is_conflict %}
        {% do exceptions.raise_compiler_error(done.error) %}
    {% endif %}
{% endmacro %}


{% macro _has_built_table(node) %}
    {% for name in node.depends_on.nodes if name in graph.nodes %}
        {% if load_relation(cdc_relation_of(graph.nodes[name])) is not none %}
            {% do return(true) %}
        {% endif %}
    {% endfor %}
    {% do return(false) %}
{% endmacro %}
