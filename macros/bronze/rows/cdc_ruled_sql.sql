{#
    Gives each record its operation, and rule and reason if it breaks one. No file of DMS has an operation of the
    listing: a truncate (T), or L, which rows of LOAD files have here, with an operation of their own or without
    (docs/feeds/dms_format.md, Row layout). A delete needs its key only (docs/architecture.md, What a change needs):
    whatever is wrong with its other columns breaks no rule.
#}
{% macro cdc_ruled_sql(plan, drift_sql) -%}
judged as (
    select
        *,
        case
            when _cdc_kind = 'load' then 'L'
            when _cdc_kind = 'truncate' then 'T'
            else {{ "'I'" if plan.is_insert_only else 'upper(trim(_cdc_op))' }}
        end as _cdc_operation,
        coalesce(
            _cdc_malformed{{ ', _cdc_shifted' if plan.optional }}{{ ',' if plan.timestamp_column }}
            {{ cdc_commit_time_sql(plan.timestamp_column) | indent(12) if plan.timestamp_column }}
        ) as _cdc_defect,
        {{ (drift_sql or 'cast(null as string)') | indent(8) }} as _cdc_drift,
        {{ _failures_sql(plan.of_key, plan.sequence_column) | indent(8) }} as _cdc_key_failures,
        {{ _failures_sql(plan.of_others) | indent(8) }} as _cdc_other_failures,
        array_compact(
            if(_cdc_operation <=> 'D', _cdc_key_failures, concat(_cdc_key_failures, _cdc_other_failures))
        ) as _cdc_cast_failures,
        {{ plan.is_keyless }} as _cdc_key_is_missing
    from {{ 'checked' if plan.optional else 'records' }}
),

ruled as (
    select
        *,
        case
            when _cdc_defect is not null then 'malformed_record'
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
            when 'malformed_record' then _cdc_defect
            when 'unknown_operation'
                then concat(
                    'operation is ', coalesce(concat("'", _cdc_operation, "'"), 'missing'), ', expected I, U or D'
                )
            when 'schema_drift' then _cdc_drift
            when 'uncastable_value' then array_join(_cdc_cast_failures, '; ')
            when 'missing_key'
                then if(
                    _cdc_key_is_missing,
                    {{ adapter.string_literal('no value in key ' ~ plan.primary_key | join(', ')) }},
                    concat(
                        'a delete without key column ', array_join(_cdc_absent_keys, ', '), ', expected the whole key'
                    )
                )
        end as _cdc_reason
    from judged
)
{%- endmacro %}


{# Of parquet also casts while the files were read, before the others, and behind them texts that are no UTF-8. #}
{% macro _failures_sql(judgement, sequence_column=none) -%}
{%- set texts_sql = cdc_text_failures_sql(judgement.texts) if judgement.texts else none -%}
{%- set checks_sql = cdc_cast_failures_sql(judgement.checks, sequence_column) -%}
{%- set failures = [judgement.failed_casts, checks_sql, texts_sql] | select | list -%}
{{ 'concat(' ~ failures | join(', ') ~ ')' if failures | length > 1 else checks_sql }}
{%- endmacro %}
