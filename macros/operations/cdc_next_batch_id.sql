{# The batch of rows that a command adds to bronze: behind all that bronze has, and no progress of its files. #}
{% macro cdc_next_batch_id(bronze) %}
    {% set last = run_query('select max(_cdc_batch_id) as batch_id from ' ~ bronze).rows[0]['batch_id'] %}
    {% do return([cdc_last_batch_id(bronze) | int, last | int] | max + 1) %}
{% endmacro %}
