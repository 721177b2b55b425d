{#
    A sentence for every value that its column's type cannot hold, NULL for the others; a place for each column of
    `may_fail`. Text must have a form of the type, and lose nothing, as must a value that goes through text; any other type
    must survive the way there and back. A change sequence that is none would put its change anywhere in the order. Of
    files that carry types (has_types), cdc_received_types_sql reads the type out of the sentence.
#}
{% macro cdc_cast_failures_sql(plan, change_sequence_column=none, has_types=false, bronze=none) -%}
{%- set casts = plan | selectattr('may_fail') | list -%}
{%- if not casts and not change_sequence_column -%}
array()
{%- else -%}
array(
    {%- for column in casts %}
    {%- set raw = column.sql or adapter.quote(column.name) %}
    {%- set value = cdc_try_cast_sql(raw, column.raw_type, column.type) %}
    case
        {%- if column.type.split('<')[0] in ['array', 'map', 'struct'] %}
        when not {{ _json_sql(value) }} <=> {{ raw }}
        {%- elif column.raw_type == 'string' or not cdc_is_direct_cast(column.raw_type, column.type) %}
        {%- set text = raw if column.raw_type == 'string' else 'cast(' ~ raw ~ ' as string)' %}
        when {{ raw }} is not null and ({{ value }} is null or not {{ cdc_is_exact_sql(text, value, column.type) }})
        {%- else %}
        when not try_cast({{ value }} as {{ column.raw_type }}) <=> {{ raw }}
        {%- endif %}
            then concat(
                {{ adapter.string_literal(column.name ~ ' is ') }}, "'", cast({{ raw }} as string), "'",
                {{ adapter.string_literal(_expected(column, has_types, bronze)) }}
            )
    end{{ ',' if not loop.last or change_sequence_column }}
    {%- endfor %}
    {%- if change_sequence_column %}
    case
        when _cdc_kind <> 'load' and not {{ cdc_is_change_sequence_sql('_cdc_change_sequence') }}
            then concat(
                {{ adapter.string_literal(change_sequence_column ~ ' is ') }}, "'", _cdc_change_sequence, "'", ', expected 35 digits'
            )
    end
    {%- endif %}
)
{%- endif -%}
{%- endmacro %}


{# The end of a sentence: the type that a file states, and the command if a type of the table has to change. #}
{% macro _expected(column, has_types, bronze) %}
    {% set received = ' of type ' ~ column.raw_type if has_types else '' %}
    {% set is_retyped = column.is_behind if column.listed_type else has_types %}
    {% set advice = ': run ' ~ cdc_change_types_command(bronze) if bronze is not none and is_retyped else '' %}
    {% do return(received ~ ', expected ' ~ column.type ~ advice) %}
{% endmacro %}


{# A nested value as read_files writes it with `nested` json: equal values have equal text. #}
{% macro _json_sql(value) -%}
to_json({{ value }}, map(
            'ignoreNullFields', 'false', 'timeZone', 'UTC',
            'timestampFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSSXXX',
            'timestampNTZFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSS'
        ))
{%- endmacro %}
