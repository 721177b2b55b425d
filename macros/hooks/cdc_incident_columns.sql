{# The columns of incidents: made by its model, or by the first command that has a row for it. #}
{% macro cdc_incident_columns() %}
    {% do return({
        'kind': 'string',
        'subject': 'string',
        'silver_table': 'string',
        'message': 'string',
        'command': 'string',
        'opened_at': 'timestamp',
        'looked_at': 'timestamp',
        'ended_at': 'timestamp',
        'opening_sent_at': 'timestamp',
        'end_sent_at': 'timestamp',
    }) %}
{% endmacro %}
