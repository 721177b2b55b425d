{% macro cdc_stand_in_columns(primary_key, partition_by) %}
    {% set plan = [] %}
    {% set types = {} %}
    {% for key in primary_key %}
        {% do types.update({key: 'string'}) %}
    {% endfor %}
    {% for transform in partition_by %}
        {% set is_time = transform.split('(')[0] in ['years', 'months', 'days', 'hours'] %}
        {% set column = transform.split('(')[-1].split(',')[-1].replace(')', '').replace('`', '') | trim %}
        {% do types.update({column: 'timestamp' if is_time else 'string'}) %}
    {% endfor %}
    {% for name, type in types.items() %}
        {% do plan.append({'name': name, 'raw_type': none, 'type': type, 'change': 'add'}) %}
    {% endfor %}
    {% do return(plan) %}
{% endmacro %}
