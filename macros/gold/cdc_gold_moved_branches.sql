{# Numbers of the parts of a query that read an input with changed keys. #}
{% macro cdc_gold_moved_branches(model, moved) %}
    {% set numbers, changed = [], moved | selectattr('changed_view') | map(attribute='number') | list %}
    {% for branch in model.branches %}
        {% for route in branch.routes if route.leaf.input.number in changed and branch.number not in numbers %}
            {% do numbers.append(branch.number) %}
        {% endfor %}
    {% endfor %}
    {% do return(numbers) %}
{% endmacro %}
