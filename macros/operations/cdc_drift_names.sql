{# The names of columns that the headers of CSV files have, or all messages that carry a row. #}
{% macro cdc_drift_names(cdc, raw, split, after_batch_id) %}
    {% set has_header = cdc.format == 'csv' and cdc.options.header and raw.view is not none %}
    {% do return({
        'headers': adapter.query(cdc_csv_header_sql(raw.view, cdc.options.delimiter)) if has_header else [],
        'message_names': adapter.query(_message_names_sql(cdc, split, after_batch_id))[0]['names']
            if cdc.format == 'json' else none,
    }) %}
{% endmacro %}


{# A delete may carry its key only. #}
{% macro _message_names_sql(cdc, split, after_batch_id) -%}
select to_json(array_distinct(flatten(collect_set(map_keys(image))))) as names
from {{ split }}
where
    {{ cdc_in_batches_sql(cdc, after_batch_id) | indent(4) }}
    and (kind = 'load' or upper(trim(operation)) in ('I', 'U'))
{%- endmacro %}
