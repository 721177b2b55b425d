{#
    The states of a key before its first event: none, of the type that a state has, or the newest version that silver has
    of it and, if that has ended, its end.
#}
{% macro cdc_history_start_sql(names, continues) -%}
{%- if not continues -%}
filter(transform(events, event -> {{ cdc_history_state_sql(names, none) }}), state -> false)
{%- else -%}
filter(
    array(
        {%- for at in ['_cdc_valid_from', '_cdc_valid_to'] %}
        struct(
            stored._cdc_sequence as sequence,
            stored.{{ at }} as at,
            stored._cdc_committed_at as committed_at,
            stored._cdc_operation as operation,
            stored._cdc_generation as generation,
            stored._cdc_batch_id as batch_id,
            if({{ 'false' if loop.first else 'true' }}, null, struct(
                {%- for name in names %}
                stored.{{ adapter.quote(name) }} as {{ adapter.quote(name) }}{{ ',' if not loop.last }}
                {%- endfor %}
            )) as image
        ){{ ',' if not loop.last }}
        {%- endfor %}
    ),
    state -> state.at is not null
)
{%- endif -%}
{%- endmacro %}
