{#
    The columns that the messages of a group name, and whether each message is a change that brings all of its values under
    the key that the row has now (a before image of the same key may be there): the query of their files asks for both.
#}
{% macro cdc_message_facts_sql(cdc) -%}
{%- set image = 'transform_keys(image, (name, value) -> lower(name))' -%}
{%- set before = 'transform_keys(before, (name, value) -> lower(name))' -%}
array_distinct(flatten(collect_set(map_keys(image)))) as names,
bool_and(coalesce(
    kind in ('load', 'change')
    and coalesce(size(unavailable), 0) <= 0
    and (
        kind = 'load'
        or upper(trim(operation)) in ('I', 'D')
        or upper(trim(operation)) = 'U'
        {%- for key in cdc.primary_key %}
        {%- set name = adapter.string_literal(cdc_file_name(key) | lower) %}
        and (
            map_contains_key({{ before }}, {{ name }}) is not true
            or {{ before }}[{{ name }}] <=> {{ image }}[{{ name }}]
        )
        {%- endfor %}
    ),
    false
)) filter (where file_row < {{ cdc_marker_row() }}) as are_plain
{%- endmacro %}
