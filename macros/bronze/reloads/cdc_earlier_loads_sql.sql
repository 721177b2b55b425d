{#
    The load files of a batch that came before with the same size, and the version that bronze holds of each: it may
    have the same rows. Another size is other content; of a version that the listing has lost it may be unknown. After a
    truncate of the listing a file is no redelivery of what was there before: silver has lost that.
#}
{% macro cdc_earlier_loads_sql(cdc, files_sql, listing, loads) -%}
with files as (
    {{ files_sql | indent(4) }}
),

truncates as (
    select batch_id
    from {{ listing }}
    where
        kind = 'truncate'
        and feed = {{ adapter.string_literal(cdc.feed) }}
        and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
        and source_table = {{ adapter.string_literal(cdc.source_table) }}
)

select
    files.file_key,
    files.path,
    unix_millis(max(loads.modified_at)) as earlier_millis,
    date_format(max(loads.modified_at), 'yyyy-MM-dd HH:mm:ss') as earlier,
    bool_or(own.file_key is not null) as is_known
from files
inner join {{ loads }} as loads
    on files.file_key = loads.file_key and files.modified_at > loads.modified_at and loads.rule is null
left join {{ loads }} as own
    on files.file_key = own.file_key and files.modified_at = own.modified_at and own.is_redelivered
left anti join truncates on loads.batch_id < truncates.batch_id and files.batch_id > truncates.batch_id
where files.kind = 'load' and files.is_newest and not files.is_again
group by files.file_key, files.path, files.size
having coalesce(max_by(loads.size, loads.modified_at) = files.size, true)
{%- endmacro %}
