{#
    One row per source row. A row that breaks a rule keeps its position in the order, with rule, reason and content, and
    silver leaves it out. Rows of markers follow.
#}
{% macro cdc_bronze_sql(cdc, files_sql, rows, columns, last_batch_id=none, content_if=none) -%}
{%- set plan = adapter.call_function('python_udfs.pipeline.rows.plan_rows', {
    'cdc': cdc, 'rows': rows, 'columns': columns, 'warehouse': adapter,
}) -%}
{%- set position_sql = _position_sql(plan) -%}
with
{%- if plan.reads_files %} files as (
    {{ cdc_file_position_sql(files_sql) | indent(4) }}
),
{% endif %}
{{ cdc_records_sql(plan, rows) }},
{%- if plan.optional %}

{{ cdc_csv_shifted_sql(plan.optional, position_sql, rows.bronze) }},
{%- endif %}

{{ cdc_ruled_sql(plan, rows.drift_sql) }}
{{- cdc_markers_sql(rows, last_batch_id) }}

select
    {%- for value in plan.values %}
    {{ value.sql }} as {{ adapter.quote(value.name) }},
    {%- endfor %}
    _cdc_operation,
    coalesce(
        {#- A time without a date would get the date of the run. #}
        try_cast(if(substring(_cdc_commit_text, 5, 1) = '-', _cdc_commit_text, null) as timestamp),
        _cdc_file_time,
        _cdc_modified_at
    ) as _cdc_committed_at,
    {{ cdc_sequence_sql(position_sql, cdc_message_place_sql() if plan.format == 'json' else none) | indent(4) }}
        as _cdc_sequence,
    _cdc_generation,
    _cdc_file_key as _cdc_source_file,
    _cdc_row as _cdc_file_row,
    _cdc_batch_id,
    _cdc_ingested_at,
    _cdc_unavailable_columns,
    {{ cdc_old_key_sql(plan.old_key) | indent(4) }} as _cdc_old_key,
    _cdc_rule as _cdc_quarantine_rule,
    {{ adapter.as_utf8_sql('_cdc_reason') }} as _cdc_quarantine_reason,
    case
        when _cdc_rule is not null{{ ' or ' ~ content_if | indent(8) if content_if }}
            then {{ adapter.as_utf8_sql(_row_as_json_sql() if plan.format == 'parquet' else '_cdc_content') }}
    end as _cdc_quarantine_content
from ruled
{%- for marker in plan.markers %}
union all
{{ cdc_marker_rows_sql(columns, marker.operation, marker.name) }}
{%- endfor %}
{%- endmacro %}


{% macro _position_sql(plan) -%}
{%- if plan.format == 'json' -%}
_cdc_position
{%- elif plan.sequence_column -%}
if(
    _cdc_kind <> 'load' and {{ cdc_is_change_sequence_sql('_cdc_change_sequence') }},
    concat('1.', _cdc_change_sequence),
    _cdc_file_position
)
{%- else -%}
_cdc_file_position
{%- endif -%}
{%- endmacro %}


{# Written for rows in quarantine alone: it costs more than to read the row. #}
{% macro _row_as_json_sql() -%}
to_json(_cdc_content, map(
                'timestampFormat', "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
                'timestampNTZFormat', "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
            ))
{%- endmacro %}
