{# The statement that writes a gold table the planned way; none if replace_keys has written it. #}
{% macro cdc_gold_write_sql(plan, gold) %}
    {% if plan.way == 'affected' %}
        {% do return(adapter.call_function('python_udfs.gold.write.replace_keys', {
            'warehouse': adapter, 'sql': context, 'plan': plan, 'gold': gold, 'invocation_id': invocation_id,
        })) %}
    {% endif %}
    {% set rows_sql = cdc_gold_query_sql(plan.movements, plan.query_sql) %}
    {% if plan.way == 'create' %}
        {% do return(create_table_as(false, this, rows_sql)) %}
    {% endif %}
    {% set columns = _gold_columns_of_query(rows_sql) if plan.has_new_query else none %}
    {% if columns is not none and not _gold_are_same(columns, adapter.get_columns_in_relation(gold)) %}
        {#- Columns came, went or have another type: the table is made again by one commit. -#}
        {% do return(create_table_as(false, this, rows_sql)) %}
    {% endif %}
    {% do return('insert overwrite ' ~ gold ~ ' by name\n' ~ rows_sql) %}
{% endmacro %}


{# Names and types that a query returns; on_schema_change decides what becomes of a difference to the table. #}
{% macro _gold_columns_of_query(rows_sql) %}
    {% set view = make_temp_relation(this, '__dbt_tmp') %}
    {% do run_query(create_table_as(true, view, rows_sql)) %}
    {% do process_schema_changes(config.get('on_schema_change', 'ignore'), view, this) %}
    {% do return(adapter.get_columns_in_relation(view)) %}
{% endmacro %}


{% macro _gold_are_same(columns, others) %}
    {% set left, right = [], [] %}
    {% for column in columns %}{% do left.append([column.name | lower, column.dtype]) %}{% endfor %}
    {% for column in others %}{% do right.append([column.name | lower, column.dtype]) %}{% endfor %}
    {% do return(left | sort == right | sort) %}
{% endmacro %}
