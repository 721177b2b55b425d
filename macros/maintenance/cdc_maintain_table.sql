{# Reads the metadata of a table and runs the steps that are due; a failed step does not stop the others. #}
{% macro cdc_maintain_table(table, plan) %}
    {% set decisions, model = 'python_udfs.pipeline.maintenance.', table.model %}
    {% set relation = cdc_existing_of(model) %}
    {% if relation is none %}
        {% do return(adapter.call_function(decisions ~ 'report_table', {'table': table, 'before': none})) %}
    {% endif %}
    {% set reader = cdc_table_of('silver', model.cdc) if model.layer == 'bronze' else none %}
    {% set state_sql = cdc_maintenance_state_sql(
        relation, table.is_partitioned, reader, table.small_bytes, plan.settings
    ) %}
    {% set before, attempts = adapter.attempt(state_sql), [] %}
    {% set steps = [] if before.error else adapter.call_function(
        decisions ~ 'find_due', {'table': table, 'state': before.rows[0], 'settings': plan.settings}
    ) %}
    {% for step in steps if not plan.dry_run %}
        {% do attempts.append(adapter.attempt(cdc_call_sql(model.relation, step))) %}
    {% endfor %}
    {% do return(adapter.call_function(decisions ~ 'report_table', {
        'table': table, 'before': before, 'steps': steps, 'attempts': attempts,
        'after': adapter.attempt(state_sql) if attempts else none,
    })) %}
{% endmacro %}
