{#
    Facts of the messages of a group, for tables with these key columns: the columns that the messages name; whether
    each message is a change that brings all of its values; the key columns that an update has changed (a before image
    of the same key may be there); and what is known of the source's log. Nothing here fails, whatever a message holds:
    the messages may be those of many tables.
#}
{% macro cdc_message_facts_sql(keys) -%}
{{ cdc_source_log_sql() }},
array_distinct(flatten(collect_set(map_keys(image)))) as names,
bool_and(coalesce(
    kind in ('load', 'change')
    and coalesce(size(unavailable), 0) <= 0
    and (kind = 'load' or upper(trim(operation)) in ('I', 'U', 'D')),
    false
)) filter (where file_row < {{ cdc_marker_row() }}) as are_plain,
array_distinct(flatten(collect_set(
    case
        when kind <> 'load' and upper(trim(operation)) = 'U' and before is not null
            then filter(
                cast(array(
                    {%- for key in keys %}
                    {{ adapter.string_literal(key) }}{{ ',' if not loop.last }}
                    {%- endfor %}
                ) as array<string>),
                key -> {{ _entry_of_key_sql('before') }} is not null
                and not {{ _entry_of_key_sql('before') }}.value <=> {{ _entry_of_key_sql('image') }}.value
            )
    end
))) as changed_keys
{%- endmacro %}


{# The entry of a map whose name is a key, in any case; NULL if there is none. #}
{% macro _entry_of_key_sql(map) -%}
get(filter(map_entries({{ map }}), entry -> lower(entry.key) = key), 0)
{%- endmacro %}
