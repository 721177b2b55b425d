{#
    New changes continue from the newest versions of their keys. A new reset point, or one that moves in time, may end the
    version of any key: then all versions are derived from the whole log, as they are where silver has applied nothing.
#}
{% macro cdc_history(cdc, bronze, silver, changes, plan) %}
    {%- if silver is not none -%}
        {%- do _validate_history(silver) -%}
    {%- endif -%}
    {%- set derives_all = (
        silver is none
        or not changes.applied_sequence
        or changes.has_new_reset_point
        or changes.has_late_truncate
        or (changes.last_sequence >= '000002' and cdc_moves_reset_point(bronze, changes))
    ) -%}
    {{ return(cdc_history_sql(cdc, bronze, silver, changes, plan, derives_all)) }}
{% endmacro %}


{% macro _validate_history(silver) %}
    {% set columns = adapter.get_columns_in_relation(silver) | map(attribute='name') | list %}
    {% if '_cdc_valid_from' not in columns or '_cdc_valid_to' not in columns %}
        {% do exceptions.raise_compiler_error(
            'CDC error in ' ~ silver ~ ' (cdc_history): mode is history, but the table has no columns _cdc_valid_from'
            ~ ' and _cdc_valid_to: it was built in another mode. It has ' ~ columns | join(', ') ~ '. Rebuild it'
            ~ ' (docs/runbook.md), or set the mode back in seeds/cdc_tables.csv and run make models.'
        ) %}
    {% endif %}
{% endmacro %}
