{% macro cdc_explain_newest(cdc, change, state) %}
    {% set given = [] %}
    {% for number in state.origin.values() | unique | sort if number != change.number %}
        {% do given.append(cdc_explain_columns(state, number) ~ ' from ' ~ number) %}
    {% endfor %}
    {% set image = given | join(', ') or 'its own image' %}
    {% set is_gone = state.ended_by or not state.is_live %}
    {% set kept = 'keeps ' ~ image if state.origin else 'no image was ever there' %}
    {% set gone = 'the row is marked as deleted and ' ~ kept if cdc.delete_mode == 'soft' else 'no row is left' %}
    {% if change.role == 'key change' %}
        {% set new_key = {} %}
        {% for name in cdc.primary_key %}
            {% do new_key.update({name: change.image[name]}) %}
        {% endfor %}
        {% do return('won: the key became ' ~ cdc_key_text(new_key) ~ '; ' ~ gone) %}
    {% elif state.ended_by %}
        {% do return('newest, but before the ' ~ state.ended_by.role ~ ' ' ~ state.ended_by.number ~ ': ' ~ gone) %}
    {% endif %}
    {% set was = ', before it the key was ' ~ cdc_key_text(change.old_key) if change.old_key else '' %}
    {% do return('won: ' ~ (gone if is_gone else 'it is the row' ~ was ~ ('; ' ~ image if given else ''))) %}
{% endmacro %}
