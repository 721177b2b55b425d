{#
    A feed whose files have other names than its connector or its option file_names expects would stay empty without a word.
    Markers, control tables and files of keys are no such files, however many there are.
#}
{{ config(severity='warn') }}
-- depends_on: {{ ref('raw_processed_files') }}
{{ cdc_blocks_nothing() }}
{%- set listing = ref('raw_listing') %}
{%- if not cdc_is_test() or adapter.may_have_values(listing, 'ignored_reason') %}
select
    feed,
    count(ignored_reason) as unread_files,
    count(*) as files,
    min_by(file_key, batch_id) filter (where ignored_reason is not null) as example,
    min_by(ignored_reason, batch_id) filter (where ignored_reason is not null) as reason
from {{ adapter.scan_sql(listing) if cdc_is_test() else listing }}
where
    {{ cdc_is_of_a_feed_sql() | indent(4) }}
    and kind in ('ignored', 'load', 'change', 'multi_table')
    and (ignored_reason is null or ignored_reason not in (
        {%- for reason in adapter.call_function('python_udfs.connectors.file_names.list_reasons_without_rows', {}) %}
        {{ adapter.string_literal(reason) }}{{ ',' if not loop.last }}
        {%- endfor %}
    ))
group by feed
having count(ignored_reason) * 2 > count(*)
{%- endif %}
