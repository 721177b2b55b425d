{#
    The gaps that the split tables of feeds record, each once: a gap that waits and one that was passed, or is over,
    later are one.
    The rows are in the commit that met the gap, so a rollback of the table rolls them back.
#}
{% macro cdc_kafka_gaps_sql(splits) -%}
{%- for split in splits %}
select
    {{ adapter.string_literal(split.feed) }} as feed,
    max(image['cluster_id']) as cluster_id,
    max(image['topic']) as topic,
    cast(max(image['partition']) as int) as partition,
    file_row as from_offset,
    cast(max_by(image['to_offset'], batch_id) as bigint) as to_offset,
    image['reason'] as reason,
    if(max_by(image['is_passed'], batch_id) = 'true', 'passed', 'waiting') as status,
    max_by(content, batch_id) as description,
    try_to_timestamp(left(cast(min(batch_id) as string), 14), 'yyyyMMddHHmmss') as found_at
from {{ split.relation }}
where source_schema is null and set_aside = 'gap'
group by path, file_row, image['reason']
{{ 'union all' if not loop.last }}
{%- endfor %}
{%- endmacro %}
