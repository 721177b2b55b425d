{# Whether a file version that went and came back was rejected before: it was not there to be read. #}
{% macro cdc_is_back_sql(cdc, rejected) -%}
exists (
    select 1
    from {{ rejected }} as before
    where
        before.feed = {{ adapter.string_literal(cdc.feed) }}
        and endswith(before.path, concat('/', listing.file_key))
        and before.size = listing.size
        and before.modified_at = listing.modified_at
        and before.batch_id >= listing.earlier_batch_id
        and before.rule <> 'redelivered'
)
{%- endmacro %}
