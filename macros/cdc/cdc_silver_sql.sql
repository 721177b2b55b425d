{#
    The newest change of every key that bronze has news of. Changes older than what silver already applied may
    belong under a delete that left no row behind: the keys they touch, and only those, are read again from the
    whole log. A row that is only marked as deleted keeps its last image, which is not always in the delete itself
    (docs/contracts.md section 1.7). A key that a complete reload no longer holds is deleted (section 1.10, case
    40).
#}
{% macro cdc_silver_sql(cdc, bronze, changes, plan, is_first) -%}
{%- set is_soft = cdc.delete_mode == 'soft' -%}
{%- if changes.completes_generation %}
{{ cdc_generation_mark(changes.generation) }}
{% endif -%}
with news as (
    {{ changes.sql | indent(4) }}
),
{% if cdc.mode == 'append' %}
newest as (
    select
        struct(*) as change,
        struct(*) as image
    from news
    where _cdc_operation in ('I', 'L')
)
{% else %}
{{ cdc_changes_sql(cdc, bronze, changes) }},

newest as (
    select
        max_by(struct(*), _cdc_sequence) as change,
        {%- if is_soft %}
        max_by(struct(*), _cdc_sequence) filter (where _cdc_operation <> 'D') as image
        {%- else %}
        max_by(struct(*), _cdc_sequence) as image
        {%- endif %}
    from changes
    group by {{ cdc_column_list_sql(cdc.primary_key) }}
)
{% endif %}
select
    {%- for column in plan %}
    {{ cdc_silver_column_sql(column, is_soft) }} as {{ cdc_quote(column.name) }},
    {%- endfor %}
    {%- if is_soft %}
    change._cdc_operation = 'D' or change._cdc_generation < {{ changes.generation }} as _cdc_is_deleted,
    {%- if not is_first %}
    image is not null as _cdc_has_image,
    {%- endif %}
    {%- endif %}
    change._cdc_operation,
    change._cdc_committed_at,
    change._cdc_sequence,
    change._cdc_generation,
    change._cdc_batch_id
from newest
{%- if not is_soft and cdc.mode != 'append' %}
where change._cdc_generation >= {{ changes.generation }}{{ " and change._cdc_operation <> 'D'" if is_first }}
{%- endif %}
{%- endmacro %}
