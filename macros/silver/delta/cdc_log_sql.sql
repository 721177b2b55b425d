{#
    A part of bronze as silver applies it: the columns that silver has, and a change of a key as two changes at one
    source position, the delete of the old key and the change itself (docs/architecture.md). A table without a key takes
    what was inserted. A key that changed only in what its comparison ignores is the same key.
#}
{% macro cdc_log_sql(cdc, plan, rows_sql, has_key_changes) -%}
{%- set keys = cdc.primary_key | map('lower') | list -%}
{%- set splits = has_key_changes and cdc.mode != 'append' -%}
{%- set comparison = cdc.key_comparison -%}
select
    {%- for column in plan if column.raw_type is not none %}
    {%- set name = adapter.quote(column.name) %}
    {%- if not splits %}
    {{ name }},
    {%- elif column.name | lower in keys %}
    if(_cdc_is_old_key, {{ _old_key_sql(column) }}, {{ name }}) as {{ name }},
    {%- else %}
    if(_cdc_is_old_key, null, {{ name }}) as {{ name }},
    {%- endif %}
    {%- endfor %}
    {{ "if(_cdc_is_old_key, 'D', _cdc_operation) as _cdc_operation" if splits else '_cdc_operation' }},
    _cdc_committed_at,
    _cdc_sequence,
    _cdc_generation,
    _cdc_batch_id,
    {%- if cdc.mode == 'append' %}
    _cdc_source_file,
    _cdc_file_row,
    {%- endif %}
    {{ 'if(_cdc_is_old_key, null, _cdc_unavailable_columns) as ' if splits }}_cdc_unavailable_columns
from (
    {{ (cdc_renamed_columns_sql(cdc, plan, rows_sql) if cdc.renamed_columns else rows_sql) | indent(4) }}
) as bronze
{%- if splits %}
lateral view explode(if(_cdc_old_key is null, array(false), array(false, true))) as _cdc_is_old_key
{%- endif %}
where _cdc_operation {{ "in ('I', 'L')" if cdc.mode == 'append' else "not in ('T', 'R')" }}
{%- if splits %}
    and not (
        _cdc_is_old_key
        {%- for column in plan if column.name | lower in keys %}
        and {{ cdc_key_value_sql(_old_key_sql(column), comparison) }}
            <=> {{ cdc_key_value_sql(adapter.quote(column.name), comparison) }}
        {%- endfor %}
    )
{%- endif %}
{%- endmacro %}


{% macro _old_key_sql(column) -%}
cast(_cdc_old_key[{{ adapter.string_literal(column.name) }}] as {{ column.raw_type }})
{%- endmacro %}
