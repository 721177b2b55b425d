{#
    The load files of a batch that came before with the same size, and the version that bronze holds of each: it may
    have the same rows. Another size is other content; of a version that the listing has lost it may be unknown.
#}
{% macro cdc_earlier_loads_sql(files_sql, loads) -%}
with files as (
    {{ files_sql | indent(4) }}
)

select
    files.file_key,
    files.path,
    unix_millis(max(loads.modified_at)) as earlier_millis,
    date_format(max(loads.modified_at), 'yyyy-MM-dd HH:mm:ss') as earlier,
    bool_or(own.file_key is not null) as is_known
from files
inner join {{ loads }} as loads
    on files.file_key = loads.file_key and loads.modified_at < files.modified_at and loads.rule is null
left join {{ loads }} as own
    on files.file_key = own.file_key and files.modified_at = own.modified_at and own.is_redelivered
where files.kind = 'load' and files.is_newest and not files.is_again
group by files.file_key, files.path, files.size
having coalesce(max_by(loads.size, loads.modified_at) = files.size, true)
{%- endmacro %}
