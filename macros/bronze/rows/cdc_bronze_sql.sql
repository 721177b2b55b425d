{#
    One row per source row. A row that breaks a rule keeps its position in the order, with rule, reason and content, and
    silver leaves it out. Rows of markers follow.
#}
{% macro cdc_bronze_sql(cdc, files_sql, raw, plan, last_batch_id=none) -%}
{%- set before_images = cdc_before_images(cdc, raw, plan) -%}
{%- set may_fail = cdc_judged_columns(cdc, plan + before_images).may_fail if raw.view is not none else [] -%}
{%- set old_key_sql = cdc_old_key_sql(before_images if cdc.format != 'json' else []) -%}
{%- set sequence = cdc.options.change_sequence_column if raw.view is not none else none -%}
{%- set position_sql, place_sql, content_sql = '_cdc_file_position', none, '_cdc_content' -%}
{%- if sequence -%}
    {%- set has_sequence = "_cdc_kind <> 'load' and " ~ cdc_is_change_sequence_sql('_cdc_change_sequence') -%}
    {%- set position_sql = 'if(' ~ has_sequence ~ ", concat('1.', _cdc_change_sequence), _cdc_file_position)" -%}
{%- endif -%}
{%- set file_columns = ['file_key', 'kind', 'file_time', 'modified_at', 'generation', 'batch_id'] -%}
{%- set file_columns = file_columns + ['file_position', 'file_hash', 'modified_millis', 'ingested_at'] -%}
{%- if raw.view is none -%}
    {%- set records_sql = cdc_no_records_sql(plan, file_columns) -%}
{%- elif cdc.format == 'json' -%}
    {%- set records_sql = cdc_message_records_sql(cdc, raw.view, plan, raw.loads_after | default(none)) -%}
    {%- set position_sql, place_sql = '_cdc_position', cdc_message_place_sql() -%}
    {%- set old_key_sql = cdc_message_old_key_sql(cdc, plan) -%}
{%- elif cdc.format == 'csv' -%}
    {%- set records_sql = cdc_csv_records_sql(cdc, raw, plan, file_columns, before_images) -%}
{%- else -%}
    {%- set records_sql = cdc_parquet_records_sql(cdc, raw, plan, file_columns, before_images) -%}
    {#- Written for rows in quarantine alone: it costs more than to read the row. -#}
    {%- set content_sql = "to_json(_cdc_content, map('timestampFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX\","
        ~ " 'timestampNTZFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS\"))" -%}
{%- endif -%}
{%- set may_shift = cdc_csv_optional_columns(cdc, plan) if raw.has_short_records | default(none) else [] -%}
{%- set malformed = ['_cdc_malformed'] + (['_cdc_shifted'] if may_shift else []) -%}
{%- do malformed.append(cdc_commit_time_sql(cdc)) if cdc.options.timestamp_column and raw.view is not none -%}
{%- set malformed_sql = 'coalesce(' ~ malformed | join(', ') ~ ')' if malformed | length > 1 else '_cdc_malformed' -%}
{%- set records = 'checked' if may_shift else 'records' -%}
{%- set markers = [('T', 'truncates', cdc_truncates_sql())] if raw.has_truncate | default(none) else [] -%}
{%- set overwritten = raw.overwritten | default(none) -%}
{%- do markers.append(('X', 'overwritten', cdc_overwritten_sql(overwritten, raw.bronze))) if overwritten -%}
{%- set reloads = raw.reloads | default(none) -%}
{%- do markers.append(('R', 'reloads', cdc_reload_rows_sql(reloads, last_batch_id, raw.bronze))) if reloads -%}
with
{%- if cdc.format != 'json' or raw.view is none or markers %} files as (
    {{ cdc_file_position_sql(files_sql) | indent(4) }}
),
{% endif %}
{{ records_sql }},
{%- if may_shift %}

{{ cdc_csv_shifted_sql(may_shift, position_sql, raw.bronze | default(none)) }},
{%- endif %}

{{ cdc_ruled_sql(cdc, raw, plan + before_images, sequence, malformed_sql, records) }}
{%- for _, _, marker_sql in markers %},

{{ marker_sql }}
{%- endfor %}

select
    {%- for column in plan %}
    {{ cdc_bronze_value_sql(cdc, column, may_fail) | indent(4) }} as {{ adapter.quote(column.name) }},
    {%- endfor %}
    _cdc_operation,
    coalesce(
        {#- A time without a date would get the date of the run. #}
        try_cast(if(substring(_cdc_commit_text, 5, 1) = '-', _cdc_commit_text, null) as timestamp),
        _cdc_file_time,
        _cdc_modified_at
    ) as _cdc_committed_at,
    {{ cdc_sequence_sql(position_sql, place_sql) | indent(4) }} as _cdc_sequence,
    _cdc_generation,
    _cdc_file_key as _cdc_source_file,
    _cdc_row as _cdc_file_row,
    _cdc_batch_id,
    _cdc_ingested_at,
    _cdc_unavailable_columns,
    {{ old_key_sql | indent(4) }} as _cdc_old_key,
    _cdc_rule as _cdc_quarantine_rule,
    make_valid_utf8(_cdc_reason) as _cdc_quarantine_reason,
    case when _cdc_rule is not null then make_valid_utf8({{ content_sql | indent(4) }}) end as _cdc_quarantine_content
from ruled
{%- for operation, name, _ in markers %}
union all
{{ cdc_marker_rows_sql(plan, operation, name) }}
{%- endfor %}
{%- endmacro %}
