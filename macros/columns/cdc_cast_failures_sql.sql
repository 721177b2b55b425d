{#
    A sentence for every value that its column's type cannot hold, NULL for the others. Text must have a form of the
    type, and lose nothing, as must a value that goes through text; any other value must survive the way there and back.
    A change sequence that is none would put its change anywhere in the order.
#}
{% macro cdc_cast_failures_sql(checks, change_sequence_column=none) -%}
array(
    {%- for check in checks %}
    case
        {%- if check.is_nested %}
        when not {{ _json_sql(check.value) | indent(8) }} <=> {{ check.raw }}
        {%- elif check.form %}
        when
            {{ check.raw }} is not null
            and ({{ check.value }} is null or not {{ cdc_is_exact_sql(check) | indent(12) }})
        {%- else %}
        when not try_cast({{ check.value }} as {{ check.raw_type }}) <=> {{ check.raw }}
        {%- endif %}
            then concat(
                {{ adapter.string_literal(check.name ~ ' is ') }}, "'", cast({{ check.raw }} as string), "'",
                {{ adapter.string_literal(check.expected) }}
            )
    end{{ ',' if not loop.last or change_sequence_column }}
    {%- endfor -%}
    {%- if change_sequence_column %}
    case
        when _cdc_kind <> 'load' and not {{ cdc_is_change_sequence_sql('_cdc_change_sequence') }}
            then concat(
                {{ adapter.string_literal(change_sequence_column ~ ' is ') }}, "'", _cdc_change_sequence, "'",
                ', expected 35 digits'
            )
    end
    {%- endif -%}
)
{%- endmacro %}


{# A nested value as read_files writes it with `nested` json: equal values have equal text. #}
{% macro _json_sql(value) -%}
to_json({{ value }}, map(
    'ignoreNullFields', 'false', 'timeZone', 'UTC',
    'timestampFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSSXXX',
    'timestampNTZFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSS'
))
{%- endmacro %}
