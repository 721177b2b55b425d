{# Folds the changes as silver does; each column remembers the change that its value is from. #}
{% macro cdc_explain_fold(cdc, applied) %}
    {% set state = {'newest': {}, 'ended_by': none, 'is_live': false, 'origin': {}} %}
    {% for change in applied %}
        {% set origin, values = {}, [] %}
        {% set is_end = change.role != 'change' or change.operation == 'D' %}
        {% for name, value in (change.image or {}).items() %}
            {% if name not in cdc.primary_key and name not in (change.unavailable or []) %}
                {% do origin.update({name: change.number}) %}
                {% do values.append(value) %}
            {% endif %}
        {% endfor %}
        {% if cdc.delete_mode == 'hard' and is_end or not (is_end or state.is_live and change.operation == 'U') %}
            {% do state.origin.clear() %}
        {% endif %}
        {% if change.role in ['truncate', 'reload'] %}
            {% do state.update({'ended_by': state.ended_by or change, 'is_live': false}) %}
        {% elif is_end %}
            {% if cdc.delete_mode == 'soft' and change.role == 'change' and values | reject('none') | list %}
                {% do state.origin.update(origin) %}
            {% endif %}
            {% do state.update({'newest': change, 'ended_by': none, 'is_live': false}) %}
        {% else %}
            {% do state.origin.update(origin) %}
            {% do state.update({'newest': change, 'ended_by': none, 'is_live': true}) %}
        {% endif %}
    {% endfor %}
    {% do return(state) %}
{% endmacro %}
