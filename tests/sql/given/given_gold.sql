{# A gold model over two silver tables. #}
{% macro given_gold() %}
    {% set inputs = [] %}
    {% for name, columns in [
        ('silver_shop__order', {'id': 'int', 'customer_id': 'int', 'amount': 'int'}),
        ('silver_shop__customer', {'id': 'int', 'segment': 'string', 'boss_id': 'int'}),
    ] %}
        {% do inputs.append(adapter.call_function('python_udfs.gold.blocks.Input', {
            'name': name, 'relation': name | replace('silver_', 'silver.'), 'key': ['id'], 'columns': columns,
        })) %}
    {% endfor %}
    {% do return(adapter.call_function('python_udfs.gold.model.read_gold_model', {
        'name': 'sales', 'sql': given_gold_query(), 'config': {'key': ['segment']}, 'inputs': inputs,
    })) %}
{% endmacro %}


{% macro given_gold_query() -%}
select
    customer.segment,
    count(*) as orders
from silver.shop__order as shop_order
left join silver.shop__customer as customer on shop_order.customer_id = customer.id
group by customer.segment
{%- endmacro %}


{# Its inputs at a refresh. #}
{% macro given_movements() %}
    {% set movements = [] %}
    {% for input in given_gold().query.inputs %}
        {% do movements.append(adapter.call_function('python_udfs.gold.inputs.Movement', {
            'input': input, 'relation': input.relation, 'before_id': 41, 'after_id': 43,
            'changed': adapter.call_function('python_udfs.gold.keys.KeySet', {
                'view': 'cdc_gold_changed_' ~ input.number, 'filled': ['id'],
                'ranges': {'id': {'type': 'int', 'first': '3', 'last': '8'}},
            }),
        })) %}
    {% endfor %}
    {% do return(movements) %}
{% endmacro %}
