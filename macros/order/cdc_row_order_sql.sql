{#
    The one total order of the rows of bronze (record 69). _cdc_sequence orders changes. A change that was read twice
    has two rows of one sequence in different batches: the one that came first sorts last, so that each fold takes it
    for the newest, and silver stays as it is.
#}
{% macro cdc_row_order_sql(sequence='_cdc_sequence', batch_id='_cdc_batch_id') -%}
{{ sequence }}, -{{ batch_id }}
{%- endmacro %}
