{# Reads the metadata of a table, runs and reports the steps that are due; a failed step does not stop the others. #}
{% macro cdc_maintain_table(node, settings, dry_run) %}
    {% set name = node.relation %}
    {% set relation = adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
    {% if relation is none %}
        {% do return({'cells': [name, 'does not exist yet', '', '', '', ''], 'is_failed': false}) %}
    {% endif %}
    {% set is_partitioned = node.config.get('partition_by') is not none %}
    {% set small_bytes = cdc_small_bytes(node, settings) %}
    {% set reader = cdc_table_of('silver', node.cdc) if node.layer == 'bronze' else none %}
    {% set state_sql = cdc_maintenance_state_sql(relation, is_partitioned, reader, small_bytes, settings) %}
    {% set asked = adapter.attempt(state_sql) %}
    {% if asked.error %}
        {% do return({'cells': [name, 'failed: ' ~ asked.error, '', '', '', ''], 'is_failed': true}) %}
    {% endif %}
    {% set before = asked.rows[0] %}
    {% set steps = cdc_maintenance_steps(name, before, small_bytes, settings) %}
    {% set done, errors = [], [] %}
    {% for step in steps %}
        {% set outcome = {'error': none} if dry_run else adapter.attempt(step.sql) %}
        {% if outcome.error is none %}
            {% do done.append(step.what) %}
        {% elif outcome.is_conflict %}
            {% do done.append('gave up to ' ~ step.what ~ ': a run wrote to it meanwhile, the next maintain tries again') %}
        {% else %}
            {% do errors.append('failed to ' ~ step.what ~ ': ' ~ outcome.error) %}
        {% endif %}
    {% endfor %}
    {% set again = adapter.attempt(state_sql) if steps and not dry_run else asked %}
    {% set after = again.rows[0] if not again.error else before %}
    {% set cells = cdc_maintenance_cells(name, (done + errors) | join('; ') or 'nothing to do', before, after) %}
    {% do return({'cells': cells, 'is_failed': errors | length > 0}) %}
{% endmacro %}
