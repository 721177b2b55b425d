{#
    What becomes of every column when a batch meets the table. Each entry: name, raw_type (none: the batch lacks
    it), type (as the table will have it) and change (add, promote or none). The first batch makes the table; then the
    policy counts: freeze and quarantine change no type, and quarantine adds no column that nobody listed.
#}
{% macro cdc_column_plan(source_columns, target_columns, policy='evolve') %}
    {% set plan = [] %}
    {% set source = {} %}
    {% for column in source_columns %}
        {% do source.update({column.name | lower: column}) %}
    {% endfor %}
    {% for column in target_columns if not column.name.startswith('_cdc_') %}
        {% set old_type = column.dtype | lower %}
        {% set new = source.pop(column.name | lower, {}) %}
        {% set promoted = policy == 'evolve' and new and cdc_is_promotion(old_type, new.type) %}
        {% do plan.append({
            'name': column.name,
            'raw_type': new.get('raw_type'),
            'type': new.type if promoted else old_type,
            'change': 'promote' if promoted else none,
        }) %}
    {% endfor %}
    {% set is_closed = policy == 'quarantine' and plan != [] %}
    {% for column in source_columns if column.name | lower in source and (column.get('is_listed') or not is_closed) %}
        {% do plan.append({'name': column.name, 'raw_type': column.raw_type, 'type': column.type, 'change': 'add'}) %}
    {% endfor %}
    {% do return(plan) %}
{% endmacro %}
