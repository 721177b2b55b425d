{# The load files of a table that the listing last found there, each with its path at that time. #}
{% macro cdc_present_loads_sql(cdc, listing, last_batch_id) -%}
select
    file_key,
    max_by(path, struct(batch_id, modified_at)) as path
from {{ listing }}
where
    feed = {{ adapter.string_literal(cdc.feed) }}
    and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
    and source_table = {{ adapter.string_literal(cdc.source_table) }}
    and kind in ('load', 'vanished')
    and batch_id <= {{ last_batch_id }}
group by file_key
having max_by(kind, struct(batch_id, modified_at)) = 'load'
{%- endmacro %}
