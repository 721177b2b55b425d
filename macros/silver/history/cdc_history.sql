{#
    What is new goes on from the newest versions of its keys. A new barrier, or one that moves in time, may end the
    version of any key: then all versions are derived anew, as they are where nothing says what silver has applied.
#}
{% macro cdc_history(cdc, bronze, silver, changes, plan) %}
    {%- if silver is not none -%}
        {%- do validate_cdc_history(silver) -%}
    {%- endif -%}
    {%- set derives_all = (
        silver is none
        or not changes.applied_sequence
        or changes.has_new_barrier
        or changes.has_late_truncate
        or cdc_moves_reset_point(bronze, changes)
    ) -%}
    {{ return(cdc_history_sql(cdc, bronze, silver, changes, plan, derives_all)) }}
{% endmacro %}
