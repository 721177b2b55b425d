{#
    Gives each record its operation, and rule and reason where it breaks one. No file of DMS has an operation of the
    listing: a truncate (T), or L, which rows of LOAD files have here. A delete needs its key only
    (docs/architecture.md, What a change needs): whatever is wrong with its other columns breaks no rule.
#}
{% macro cdc_ruled_sql(cdc, raw, columns, sequence_column, malformed_sql, records) -%}
{%- set parts = cdc_judged_columns(cdc, columns) -%}
{%- set present = parts.of_key | rejectattr('raw_type', 'none') | map(attribute='name') | list -%}
{%- set casts = columns | selectattr('is_cast') | list -%}
{%- set has_casts = casts and cdc.format == 'parquet' and raw.view is not none -%}
judged as (
    select
        *,
        {{ _operation_sql(cdc) | indent(8) }} as _cdc_operation,
        {{ (raw.drift_sql | default(none) or 'cast(null as string)') | indent(8) }} as _cdc_drift,
        {{ _failures_sql(cdc, raw, parts.of_key, '_cdc_failed_key_casts' if has_casts, sequence_column) | indent(8) }} as _cdc_key_failures,
        {{ _failures_sql(cdc, raw, parts.others, '_cdc_failed_casts' if has_casts) | indent(8) }} as _cdc_other_failures,
        array_compact(
            if(_cdc_operation <=> 'D', _cdc_key_failures, concat(_cdc_key_failures, _cdc_other_failures))
        ) as _cdc_cast_failures,
        {{ _key_is_missing_sql(cdc.primary_key, present) }} as _cdc_key_is_missing
    from {{ records }}
),

ruled as (
    select
        *,
        case
            when {{ malformed_sql }} is not null then 'malformed_record'
            when
                _cdc_operation is null
                or _cdc_operation not in ('L', 'I', 'U', 'D', 'T')
                or (_cdc_operation = 'L' and _cdc_kind <> 'load')
                or (_cdc_operation = 'T' and _cdc_kind <> 'truncate')
                then 'unknown_operation'
            when _cdc_drift is not null and _cdc_operation <> 'D' then 'schema_drift'
            when size(_cdc_cast_failures) > 0 then 'uncastable_value'
            when _cdc_key_is_missing and _cdc_operation <> 'T' then 'missing_key'
            when _cdc_operation = 'D' and _cdc_absent_keys is not null then 'missing_key'
        end as _cdc_rule,
        case _cdc_rule
            when 'malformed_record' then {{ malformed_sql }}
            when 'unknown_operation'
                then concat('operation is ', coalesce(concat("'", _cdc_operation, "'"), 'missing'), ', expected I, U or D')
            when 'schema_drift' then _cdc_drift
            when 'uncastable_value' then array_join(_cdc_cast_failures, '; ')
            when 'missing_key'
                then if(
                    _cdc_key_is_missing,
                    {{ adapter.string_literal('no value in key ' ~ cdc.primary_key | join(', ')) }},
                    concat('a delete without key column ', array_join(_cdc_absent_keys, ', '), ', expected the whole key')
                )
        end as _cdc_reason
    from judged
)
{%- endmacro %}


{# Of parquet also casts while the files were read, before the others, and behind them texts that are no UTF-8. #}
{% macro _failures_sql(cdc, raw, columns, failed_casts, sequence_column=none) -%}
{%- set failures = [failed_casts] if failed_casts else [] -%}
{%- set has_types = cdc.format == 'parquet' -%}
{%- do failures.append(cdc_cast_failures_sql(columns, sequence_column, has_types, raw.bronze)) -%}
{%- do failures.append(cdc_text_failures_sql(columns)) if cdc.format == 'parquet' -%}
{{ 'concat(' ~ failures | join(', ') ~ ')' if failures | length > 1 else failures[0] }}
{%- endmacro %}


{# docs/feeds/dms_format.md, Row layout: LOAD files may carry an operation or not; a feed of inserts only never does. #}
{% macro _operation_sql(cdc) -%}
case
    when _cdc_kind = 'load' then 'L'
    when _cdc_kind = 'truncate' then 'T'
    {%- if cdc.options.operation_column == 'never' %}
    else 'I'
    {%- else %}
    else upper(trim(_cdc_op))
    {%- endif %}
end
{%- endmacro %}


{# True where no column of the key has a value; a column that the files do not even have has none. #}
{% macro _key_is_missing_sql(primary_key, columns) -%}
{%- set present = [] -%}
{%- for key in primary_key if key | lower in columns | map('lower') -%}
    {%- do present.append(adapter.quote(key) ~ ' is null') -%}
{%- endfor -%}
{{ present | join(' and ') if present else ('true' if primary_key else 'false') }}
{%- endmacro %}
