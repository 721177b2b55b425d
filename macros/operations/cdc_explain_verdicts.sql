{% macro cdc_explain_verdicts(cdc, changes, applied_batch_id, silver) %}
    {% set applied = [] %}
    {% for change in changes %}
        {% do change.update({'number': loop.index}) %}
        {% if not change.rule and change.batch_id | int <= applied_batch_id %}
            {% do applied.append(change) %}
        {% endif %}
    {% endfor %}
    {% set state = cdc_explain_fold(cdc, applied) %}
    {% set verdicts = [] %}
    {% for change in changes %}
        {% if change.rule == 'void' %}
            {% do verdicts.append('void: newer content of the file has taken its place') %}
        {% elif change.rule %}
            {% do verdicts.append('in quarantine, ' ~ change.rule ~ ': ' ~ change.reason) %}
        {% elif change not in applied %}
            {% do verdicts.append('not in silver yet: the next run takes it') %}
        {% elif cdc.mode == 'history' %}
            {% do verdicts.append(_cdc_explain_version(change, silver)) %}
        {% elif cdc.mode == 'append' %}
            {% do verdicts.append('a row' if change.operation in ['I', 'L'] else 'not applied: the table has no key') %}
        {% elif change.role in ['truncate', 'reload'] %}
            {% do verdicts.append('ends every row that is older') %}
        {% elif change.number == state.newest.number %}
            {% do verdicts.append(cdc_explain_newest(cdc, change, state)) %}
        {% else %}
            {% do verdicts.append(cdc_explain_older(change, applied, state)) %}
        {% endif %}
    {% endfor %}
    {% do return(verdicts) %}
{% endmacro %}

{% macro _cdc_explain_version(change, silver) %}
    {% for version in silver if version.sequence == change.sequence %}
        {% do return(
            'a version: from ' ~ version.image._cdc_valid_from ~ ' to ' ~ (version.image._cdc_valid_to or 'now')
        ) %}
    {% endfor %}
    {% if change.role != 'change' or change.operation == 'D' %}
        {% do return('ends the open version, if there is one') %}
    {% endif %}
    {% do return('changes no column: no version of its own') %}
{% endmacro %}
