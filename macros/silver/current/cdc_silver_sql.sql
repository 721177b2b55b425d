{#
    The newest change of every key that bronze has new changes of. A row that is only marked as deleted keeps its last
    image; that of the delete is never used (docs/architecture.md). A row older than the last truncate or
    complete reload is gone (tests/e2e/CASES.md, 40).
#}
{% macro cdc_silver_sql(cdc, changes, plan, is_first) -%}
{%- set is_soft = cdc.is_soft -%}
{%- set carries_forward = changes.has_partial and cdc.mode == 'current' -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

{{ cdc_changes_sql(cdc, changes) }},
{% if carries_forward %}
{{ cdc_carried_forward_sql(cdc, plan, changes) }},
{% endif %}
newest as (
    select
        {%- if changes.has_single_changes %}
        struct(*) as change,
        {{ "if(_cdc_operation <> 'D', struct(*), null)" if is_soft else 'struct(*)' }} as image
        {%- else %}
        max_by(struct(*), struct({{ cdc_row_order_sql() }})) as change,
        max_by(struct(*), struct({{ cdc_row_order_sql() }})) {{ "filter (where _cdc_operation <> 'D') " if is_soft }}as image
        {%- endif %}
    from {{ 'carried_forward' if carries_forward else 'changes' }}
    {%- if not changes.has_single_changes %}
    group by {{ cdc_key_list_sql(cdc) }}
    {%- endif %}
)

select
    {%- for column in plan %}
    {{ _silver_column_sql(cdc, column) }} as {{ adapter.quote(column.name) }},
    {%- endfor %}
    {%- if is_soft %}
    change._cdc_operation = 'D'
    {{- ' or change._cdc_sequence < ' ~ adapter.string_literal(changes.reset_point) if changes.reset_point }} as _cdc_is_deleted,
    {%- endif %}
    {%- if is_soft and not is_first and not changes.replaces %}
    image is not null as _cdc_has_image,
    {%- endif %}
    {%- if carries_forward and not is_first %}
    image._cdc_unavailable_columns,
    image._cdc_epoch,
    {%- endif %}
    {%- if cdc.mode == 'append' %}
    change._cdc_source_file,
    change._cdc_file_row,
    {%- endif %}
    change._cdc_operation,
    change._cdc_committed_at,
    change._cdc_sequence,
    change._cdc_generation,
    change._cdc_batch_id
from newest
{%- set conditions = [] -%}
{%- if not is_soft and changes.reset_point -%}
    {%- do conditions.append('change._cdc_sequence >= ' ~ adapter.string_literal(changes.reset_point)) -%}
{%- endif -%}
{%- if not is_soft and (is_first or changes.replaces) -%}
    {%- do conditions.append("change._cdc_operation <> 'D'") -%}
{%- endif -%}
{{ '\nwhere ' ~ conditions | join(' and ') if conditions }}
{%- endmacro %}


{# Of a key that is known by its delete alone, a table with marked rows has the key. #}
{% macro _silver_column_sql(cdc, column) -%}
{%- set name = adapter.quote(column.name) -%}
{%- if column.raw_type is none -%}
    cast(null as {{ column.type }})
{%- elif cdc.is_soft and column.name | lower in cdc.primary_key | map('lower') -%}
    if(image is null, change.{{ name }}, image.{{ name }})
{%- else -%}
    image.{{ name }}
{%- endif -%}
{%- endmacro %}
