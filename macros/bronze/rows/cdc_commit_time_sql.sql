{#
    A sentence for a record whose timestamp column has a text that is no time; NULL else. Without a text the time in the
    name of the file counts (docs/feeds/dms_format.md, Row layout). Digits behind the microsecond are dropped.
#}
{% macro cdc_commit_time_sql(timestamp_column) -%}
{%- set text = "nullif(trim(_cdc_commit_text), '')" -%}
case
    when
        {{ text }} is not null
        and (
            try_cast({{ text }} as timestamp) is null
            or not {{ text }} rlike '\\A[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}.*)?+\\z'
        )
        then concat(
            {{ adapter.string_literal(timestamp_column ~ ' is ') }}, "'", _cdc_commit_text,
            "', expected a time such as 2024-01-31 23:00:00.000000 (option timestamp_column)"
        )
end
{%- endmacro %}
