{#
    The question of `make explain`: everything in bronze and silver that decides one key. Python judges it
    (python_udfs/explain). The metadata names columns without case, bronze's own spelling finds their values.
#}
{% macro cdc_explain(table, key) %}
    {% set node = cdc_silver_node(table) %}
    {% set cdc = node.cdc %}
    {% set silver = adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
    {% set bronze = cdc_table_of('bronze', cdc) %}
    {% if bronze is none or silver is none %}
        {% do return(cdc_answer({'is_built': false})) %}
    {% endif %}
    {% set types, spelled = {}, {} %}
    {% for column in adapter.get_columns_in_relation(bronze) %}
        {% do types.update({column.name: column.dtype}) %}
        {% for name, value in key.items() if name | lower == column.name | lower %}
            {% do spelled.update({column.name: value}) %}
        {% endfor %}
    {% endfor %}
    {% set answer = {'is_built': true, 'bronze': bronze | string, 'silver': silver | string, 'key': spelled} %}
    {% do answer.update({'wrong': _cdc_explain_wrong(spelled, types), 'types': types}) %}
    {% if spelled | length == key | length and not answer.wrong %}
        {% do answer.update(_cdc_explain_life(cdc, bronze, silver, spelled, types)) %}
    {% endif %}
    {% do cdc_answer(answer) %}
{% endmacro %}

{% macro _cdc_explain_wrong(key, types) %}
    {% set wrong = [] %}
    {% for name, value in key.items() if value is not none %}
        {% set value_sql = 'try_cast(' ~ adapter.string_literal(value) ~ ' as ' ~ types[name] ~ ')' %}
        {% if run_query('select ' ~ value_sql ~ ' is null as is_wrong').rows[0]['is_wrong'] %}
            {% do wrong.append(name) %}
        {% endif %}
    {% endfor %}
    {% do return(wrong) %}
{% endmacro %}

{% macro _cdc_explain_life(cdc, bronze, silver, key, types) %}
    {% set names = [] %}
    {% for name in types if not name.startswith('_cdc_') %}
        {% do names.append(name) %}
    {% endfor %}
    {% set silver_names = adapter.get_columns_in_relation(silver) | map(attribute='name') | list %}
    {% set sql = cdc_explain_changes_sql(cdc, bronze, names, key, types, '_cdc_old_key' in types) %}
    {% set changes = _cdc_explain_rows(sql) %}
    {% set is_known = changes | selectattr('role', 'in', ['change', 'key change']) | list | length > 0 %}
    {% do return({
        'changes': changes,
        'rows': _cdc_explain_rows(cdc_explain_silver_sql(cdc, silver, silver_names, key, types)),
        'other_keys': [] if is_known else _cdc_explain_rows(cdc_explain_keys_sql(bronze, key)),
        'applied_batch_id': cdc_progress(silver).get('cdc.batch-id', 0) | int,
    }) %}
{% endmacro %}

{% macro _cdc_explain_rows(sql) %}
    {% set rows = [] %}
    {% for row in run_query(sql) %}
        {% do rows.append(dict(row.dict())) %}
    {% endfor %}
    {% do return(rows) %}
{% endmacro %}
