{#
    New changes continue from the newest versions of their keys. A new reset point, or one that moves in time, may end the
    version of any key: then all versions are derived from the whole log, as they are where silver has applied nothing.
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
        or (changes.last_sequence >= '000002' and cdc_moves_reset_point(bronze, changes))
    ) -%}
    {{ return(cdc_history_sql(cdc, bronze, silver, changes, plan, derives_all)) }}
{% endmacro %}
