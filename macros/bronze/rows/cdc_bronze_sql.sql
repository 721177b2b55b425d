{#
    One row per source row. A row that breaks a rule is kept with rule, reason and content, at its place in the
    order, and silver leaves it out. No file says that a table was truncated: an operation T in one is none.
#}
{% macro cdc_bronze_sql(cdc, files_sql, raw, plan, last_batch_id=none) -%}
{%- set before_images = cdc_before_images(cdc, raw, plan) -%}
{%- set has_sequence = cdc.options.get('change_sequence_column') and raw.view is not none -%}
{%- set place_sql = cdc_dms_position_sql('_cdc_', '_cdc_change_sequence') if has_sequence else '_cdc_place' -%}
{%- set old_key_sql = cdc_old_key_sql(before_images) -%}
{%- set content_sql = '_cdc_content' -%}
{%- set columns = plan + before_images -%}
{%- set casts = columns | selectattr('is_cast', 'true') | list -%}
{%- set has_casts = casts and cdc.format == 'parquet' and raw.view is not none -%}
{%- if raw.view is none -%}
    {%- set records_sql = cdc_no_records_sql(plan) -%}
{%- elif cdc.format == 'json' -%}
    {%- set records_sql = cdc_message_records_sql(cdc, raw.view, plan) -%}
    {%- set place_sql = cdc_message_position_sql() -%}
    {%- set old_key_sql = cdc_message_old_key_sql(cdc, plan) -%}
{%- elif cdc.format == 'csv' -%}
    {%- set records_sql = cdc_csv_records_sql(cdc, raw, plan, before_images) -%}
{%- else -%}
    {%- set records_sql = cdc_parquet_records_sql(cdc, raw, plan, before_images) -%}
    {%- set content_sql = cdc_parquet_content_sql() -%}
{%- endif -%}
{%- set may_shift = cdc_csv_optional_columns(cdc, plan) if raw.get('has_short_records') else [] -%}
{%- set malformed_sql = 'coalesce(_cdc_malformed, _cdc_shifted)' if may_shift else '_cdc_malformed' -%}
with files as (
    {{ cdc_file_position_sql(files_sql) | indent(4) }}
),

{{ records_sql }},
{%- if may_shift %}

{{ cdc_csv_shifted_sql(may_shift, place_sql, raw.get('bronze')) }},
{%- endif %}

judged as (
    select
        *,
        {{ cdc_operation_sql(cdc) | indent(8) }} as _cdc_operation,
        {{ raw.get('drift_sql', 'cast(null as string)') | indent(8) }} as _cdc_drift,
        {{ 'concat(_cdc_failed_casts, ' if has_casts }}
        {{- cdc_cast_failures_sql(columns, cdc.options.get('change_sequence_column') if has_sequence) | indent(8) }}
        {{- ')' if has_casts }} as _cdc_misfits,
        {{ cdc_key_is_missing_sql(cdc.primary_key, plan | map(attribute='name') | list) }} as _cdc_key_is_missing
    from {{ 'checked' if may_shift else 'records' }}
),

ruled as (
    select
        *,
        case
            when {{ malformed_sql }} is not null then 'malformed_record'
            when
                _cdc_operation is null
                or _cdc_operation not in ('L', 'I', 'U', 'D', 'T')
                or (_cdc_operation = 'T' and _cdc_kind <> 'truncate')
                then 'unknown_operation'
            when _cdc_drift is not null then 'schema_drift'
            when size(_cdc_misfits) > 0 then 'uncastable_value'
            when _cdc_key_is_missing and _cdc_operation <> 'T' then 'missing_key'
        end as _cdc_rule
    from judged
)
{%- if raw.get('has_truncate') %},

truncates as (
    select
        object_key as _cdc_object_key,
        modified_at as _cdc_committed_at,
        generation as _cdc_generation,
        batch_id as _cdc_batch_id,
        place as _cdc_place,
        object as _cdc_object,
        version as _cdc_version,
        ingested_at as _cdc_ingested_at,
        cast(0 as bigint) as _cdc_row
    from files
    where kind = 'truncate'
)
{%- endif %}
{%- if raw.get('overwritten') %},

{{ cdc_overwritten_sql(raw.overwritten, raw.bronze) }}
{%- endif %}
{%- if raw.get('reloads') %},

{{ cdc_reload_rows_sql(raw.reloads, last_batch_id) }}
{%- endif %}

select
    {%- for column in plan %}
    {{ cdc_cast_sql(column) }} as {{ adapter.quote(column.name) }},
    {%- endfor %}
    _cdc_operation,
    coalesce(
        {#- A time without a date would get the date of the run. #}
        try_cast(if(substring(_cdc_commit_text, 5, 1) = '-', _cdc_commit_text, null) as timestamp),
        _cdc_file_time,
        _cdc_modified_at
    ) as _cdc_committed_at,
    {{ cdc_sequence_sql(place_sql) | indent(4) }} as _cdc_sequence,
    _cdc_generation,
    _cdc_object_key as _cdc_source_file,
    _cdc_row as _cdc_file_row,
    _cdc_batch_id,
    _cdc_ingested_at,
    _cdc_unavailable_columns,
    {{ old_key_sql | indent(4) }} as _cdc_old_key,
    _cdc_rule as _cdc_quarantine_rule,
    case _cdc_rule
        when 'malformed_record' then {{ malformed_sql }}
        when 'unknown_operation'
            then concat('operation is ', coalesce(concat("'", _cdc_operation, "'"), 'missing'), ', expected I, U or D')
        when 'schema_drift' then _cdc_drift
        when 'uncastable_value' then array_join(_cdc_misfits, '; ')
        when 'missing_key' then {{ adapter.string_literal('no value in key ' ~ cdc.primary_key | join(', ')) }}
    end as _cdc_quarantine_reason,
    case when _cdc_rule is not null then {{ content_sql | indent(4) }} end as _cdc_quarantine_content
from ruled
{%- if raw.get('has_truncate') %}
union all
{{ cdc_marker_rows_sql(plan, 'T', 'truncates') }}
{%- endif %}
{%- if raw.get('overwritten') %}
union all
{{ cdc_marker_rows_sql(plan, 'X', 'overwritten') }}
{%- endif %}
{%- if raw.get('reloads') %}
union all
{{ cdc_marker_rows_sql(plan, 'R', 'reloads') }}
{%- endif %}
{%- endmacro %}
