{% macro cdc_explain_no_change_message(bronze, key) %}
    {% set names = key.keys() | list %}
    {% set sql = 'select distinct ' ~ get_quoted_csv(names) ~ ' from ' ~ bronze ~ ' order by all limit 5' %}
    {% set known = [] %}
    {% for row in run_query(sql) %}
        {% do known.append(cdc_key_text(dict(zip(names, row.values())))) %}
    {% endfor %}
    {% do return(
        'CDC error (explain_row): ' ~ bronze ~ ' has no change of ' ~ cdc_key_text(key) ~ '. '
        ~ ('Keys that it has: ' ~ known | join('; ') ~ ' …' if known else 'It has no rows at all.')
    ) %}
{% endmacro %}
