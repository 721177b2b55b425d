{#
    Rows of bronze with renamed columns under their new names: if bronze has both columns, the old one fills the gaps of
    the new one, whose value is unavailable if that of both is; names that were written before the rename are read as
    the new ones.
#}
{% macro cdc_renamed_columns_sql(cdc, plan, rows_sql) -%}
{%- set arguments = {'cdc': cdc, 'plan': plan} -%}
{%- set renamed = adapter.call_function('python_udfs.pipeline.columns.plan_merges', arguments) -%}
{%- set merged = renamed | selectattr('old_columns') | list -%}
{%- set keys = renamed | selectattr('is_key') | list -%}
{%- if not renamed -%}
{{ rows_sql }}
{%- else -%}
select
    {%- for column in plan if column.raw_type is not none and column.name not in merged | map(attribute='name') %}
    {{ adapter.quote(column.name) }},
    {%- endfor %}
    _cdc_operation,
    _cdc_committed_at,
    _cdc_sequence,
    _cdc_generation,
    _cdc_batch_id,
    _cdc_source_file,
    _cdc_file_row,
    {{- '\n    _cdc_old_key,' if not keys }}
    {%- for column in merged %}
    coalesce({{ get_quoted_csv((column.name,) + column.old_columns) }}) as {{ adapter.quote(column.name) }},
    {%- endfor %}
    {%- if keys %}
    transform_keys(_cdc_old_key, (name, value) -> {{ _new_name_sql(keys) | indent(4) }}) as _cdc_old_key,
    {%- endif %}
    nullif(array_distinct(transform(
        {{ _unavailable_sql(merged, cdc.options.absent_columns == 'keep') | indent(8) }},
        name -> {{ _new_name_sql(renamed) | indent(8) }}
    )), cast(array() as array<string>)) as _cdc_unavailable_columns
from (
    {{ rows_sql | indent(4) }}
) as renamed
{%- endif -%}
{%- endmacro %}


{#
    The names under which a value is unavailable, without those of a value that the row has under another name. If a
    feed keeps absent columns, each name that a file lacks is listed. Else one or more names are listed, and a value is
    unavailable if no column has it.
#}
{% macro _unavailable_sql(merged, keeps_absent) -%}
array_except(_cdc_unavailable_columns, concat(
    cast(array() as array<string>)
    {%- for column in merged %}
    {%- set columns = (column.name,) + column.old_columns %},
    if(
        {%- if keeps_absent %}
        size(array_except(array({{ _texts_sql(columns) }}), _cdc_unavailable_columns)) = 0,
        {%- else %}
        arrays_overlap(array({{ _texts_sql(columns) }}), _cdc_unavailable_columns)
        and coalesce({{ get_quoted_csv(columns) }}) is null,
        {%- endif %}
        cast(array() as array<string>), array({{ _texts_sql(columns) }})
    )
    {%- endfor %}
))
{%- endmacro %}


{% macro _new_name_sql(renamed) -%}
case
    {%- for column in renamed %}
    when lower(name) in ({{ _texts_sql(column.old_names) }}) then {{ adapter.string_literal(column.name) }}
    {%- endfor %}
    else name
end
{%- endmacro %}


{% macro _texts_sql(texts) -%}
{% for text in texts %}{{ adapter.string_literal(text) }}{{ ', ' if not loop.last }}{% endfor %}
{%- endmacro %}
