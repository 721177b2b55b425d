{# The columns that a split table has of each message, but for its batch and its values. #}
{% macro cdc_message_columns() %}
    {% do return([
        'path', 'file_key', 'file_time', 'modified_at', 'file_row', 'content', 'source_schema', 'source_table',
        'set_aside', 'kind', 'operation', 'committed_at', 'position', 'malformed',
    ]) %}
{% endmacro %}
