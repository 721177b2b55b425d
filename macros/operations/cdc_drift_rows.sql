{#
    What files would change in a table, and what the table's policy makes of it: the decisions of cdc_bronze and
    cdc_silver_plan, in words.
#}
{% macro cdc_drift_rows(cdc, table, raw, columns) %}
    {% set policy = cdc.get('schema_drift', 'evolve') %}
    {% set rows = [] %}
    {% for file in raw.rejected %}
        {% do rows.append([table, file.path.split('/')[-1] ~ ': ' ~ file.reason, 'the file is rejected']) %}
    {% endfor %}
    {% set names = columns | map(attribute='name') | map('lower') | list %}
    {% set types = {} %}
    {% for column in columns if not column.name.startswith('_cdc_') %}
        {% set name = cdc_new_name(cdc, column.name) %}
        {% set is_renamed = name | lower not in names %}
        {% do types.update({(name if is_renamed else column.name) | lower: column.dtype | lower}) %}
        {% if is_renamed %}
            {% set what = 'column ' ~ column.name ~ ' is called ' ~ name ~ ' now' %}
            {% do rows.append([table, what, 'bronze and silver rename it']) %}
        {% endif %}
    {% endfor %}
    {% for column in cdc_source_columns(cdc, raw) %}
        {% set old = types.get(column.name | lower) %}
        {% set words = _cdc_drift_words(policy, column, old, types != {}) %}
        {% if words %}
            {% do rows.append([table] + words) %}
        {% endif %}
    {% endfor %}
    {% do return(rows) %}
{% endmacro %}

{% macro _cdc_drift_words(policy, column, old, exists) %}
    {% set is_quarantined = policy == 'quarantine' and exists and not column.is_listed %}
    {% if old is none %}
        {% set what = 'column ' ~ column.name ~ ' ' ~ column.type ~ ' is new' %}
        {% if is_quarantined %}
            {% do return([what, 'rows of its files go to quarantine (schema_drift)']) %}
        {% endif %}
        {% set is_frozen = policy == 'freeze' and exists %}
        {% do return([what, 'bronze adds it, silver does not' if is_frozen else 'bronze and silver add it']) %}
    {% elif column.type != old and not adapter.is_type_promotion(column.type, old) %}
        {% set what = 'column ' ~ column.name ~ ' is ' ~ column.type ~ ', the table has ' ~ old %}
        {% if is_quarantined %}
            {% do return([what, 'rows of its files go to quarantine (schema_drift)']) %}
        {% elif policy == 'evolve' and adapter.is_type_promotion(old, column.type) %}
            {% do return([what, 'bronze and silver widen it']) %}
        {% endif %}
        {% do return([what, 'values that do not fit go to quarantine (uncastable_value)']) %}
    {% endif %}
    {% do return([]) %}
{% endmacro %}
