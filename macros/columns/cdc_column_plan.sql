{#
    What becomes of every column when a batch meets the table. Each entry: name, raw_type (none: the batch lacks
    it), type (as the table will have it) and change (add, promote or none). The first file that has a column makes its
    type; then the policy counts: freeze and quarantine change no type, and quarantine adds no column that is not listed
    once there is a table. The types of a batch are taken in the order of its files, as if each were a batch; a column
    that has several (is_cast) is cast while the files are read. listed_type: what the seed states of the column.
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
        {% set type = _type_after(old_type, new, policy) %}
        {% do plan.append({
            'name': column.name,
            'raw_type': type if new.get('types') else new.get('raw_type'),
            'type': type,
            'change': 'promote' if type != old_type else none,
        }) %}
        {% do plan[-1].update({'listed_type': new.type} if new.get('is_listed') else {}) %}
        {% do plan[-1].update({'is_cast': true} if new.get('types') else {}) %}
    {% endfor %}
    {% set is_closed = policy == 'quarantine' and plan != [] %}
    {% for column in source_columns if column.name | lower in source and (column.get('is_listed') or not is_closed) %}
        {% set type = _type_after(column.type, column, policy) %}
        {% set raw_type = type if column.get('types') else column.raw_type %}
        {% do plan.append({'name': column.name, 'raw_type': raw_type, 'type': type, 'change': 'add'}) %}
        {% do plan[-1].update({'listed_type': column.type} if column.get('is_listed') else {}) %}
        {% do plan[-1].update({'is_cast': true} if column.get('types') else {}) %}
    {% endfor %}
    {% do return(plan) %}
{% endmacro %}


{# The type that a column has after the files of a batch, one by one: each may promote the type that it finds. #}
{% macro _type_after(type, column, policy) %}
    {% set found = namespace(type=type) %}
    {% set types = column.get('types', [column.type] if column else []) %}
    {% for of_file in types if policy == 'evolve' and adapter.is_type_promotion(found.type, of_file) %}
        {% set found.type = of_file %}
    {% endfor %}
    {% do return(found.type) %}
{% endmacro %}
