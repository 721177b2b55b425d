{#
    Facts of some messages, from which source_log.py finds a log that began again and a second snapshot. Debezium's
    positions that end in 0 are the source's own (debezium_positions.py). Oracle's snapshots, and messages without the
    last commit, have no first number: their second one is compared. A change whose two numbers are equal follows no
    commit that is known, and its transaction may have begun before a snapshot. Positions of Maxwell (82 characters) and
    TiCDC (68) begin with zeros where they are not the source's own.
#}
{% macro cdc_source_log_sql() -%}
{%- set zeros = "repeat('0', 20)" -%}
{%- set is_own -%}
malformed is null and length(position) = 61 and right(position, 1) = '0' and position > repeat('0', 61)
{%- endset -%}
{%- set follows_commit = is_own ~ " and kind = 'change' and left(position, 20) <> substring(position, 21, 20)" -%}
{%- set is_other -%}
malformed is null and kind = 'change' and length(position) in (68, 82) and left(position, 10) > repeat('0', 10)
{%- endset -%}
{%- set is_change = '(' ~ follows_commit ~ ') or (' ~ is_other ~ ')' -%}
{%- set is_load = is_own ~ " and kind = 'load'" -%}
{%- set place = 'if(left(position, 20) = ' ~ zeros ~ ', substring(position, 21, 40), left(position, 40))' -%}
{%- set at = "date_format(committed_at, 'yyyy-MM-dd HH:mm:ss.SSSSSS')" -%}
to_json(struct(
    min({{ place }}) filter (where {{ is_load }}) as first_load,
    max({{ place }}) filter (where {{ is_load }}) as last_load,
    min({{ place }}) filter (where {{ follows_commit }}) as first_change,
    max(position) filter (where {{ is_change }}) as greatest,
    max_by({{ at }}, position) filter (where {{ is_change }}) as greatest_at,
    max_by(position, struct(committed_at, position)) filter (where {{ is_change }}) as newest,
    max({{ at }}) filter (where {{ is_change }}) as newest_at,
    bool_or(left(position, 20) <> {{ zeros }}) filter (where {{ is_load }}) as has_places
)) as source_log
{%- endmacro %}
