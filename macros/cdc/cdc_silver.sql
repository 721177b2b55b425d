{#
    Takes what bronze got since the snapshot that silver's own newest snapshot names, and hands it to
    cdc_silver_query. The new progress is committed by the merge itself.
#}
{% macro cdc_silver(bronze) %}
    {%- if not cdc_is_run() -%}
        {{ return(cdc_nothing_new_sql(this, 'compiled without reading bronze')) }}
    {%- endif -%}
    {%- set cdc = model.config.meta.cdc -%}
    {%- if load_relation(bronze) is none -%}
        {%- do exceptions.raise_compiler_error(cdc_bronze_is_missing_message(this, bronze)) -%}
    {%- endif -%}
    {%- set bronze_snapshot_id = adapter.current_snapshot_id(bronze) -%}
    {%- set existing = load_relation(this) -%}
    {%- set progress = cdc_progress(existing) -%}
    {%- if existing is not none and progress.get('cdc.bronze-snapshot-id') == bronze_snapshot_id | string -%}
        {{ return(cdc_nothing_new_sql(this, 'bronze is still at snapshot ' ~ bronze_snapshot_id)) }}
    {%- endif -%}
    {%- set is_stand_in = progress and not progress.get('cdc.sequence') -%}
    {%- set plan = cdc_silver_plan(cdc, bronze, none if is_stand_in else existing) -%}
    {%- if is_stand_in -%}
        {#- Only stand-in columns so far, and no row: make the table anew, with the types that have arrived. -#}
        {%- do adapter.drop_relation(existing) -%}
        {%- set existing, progress = none, {} -%}
    {%- endif -%}
    {%- set changes = cdc_bronze_range(cdc, bronze, bronze_snapshot_id, progress, plan) -%}
    {%- set new_progress = cdc_silver_progress(cdc, changes, plan) -%}
    {%- if existing is not none and cdc_replaces_rows(cdc, changes) -%}
        {{ return(cdc_replacing(cdc, bronze, existing, changes, plan, new_progress)) }}
    {%- endif -%}
    {%- do cdc_set_progress(new_progress) -%}
    {%- if not plan | rejectattr('raw_type', 'none') | list -%}
        {{ return(cdc_silver_empty_sql(cdc, bronze, plan)) }}
    {%- endif -%}
    {%- if existing is not none and changes.replaces_all -%}
        {{ return(cdc_mark_sql('replaces_all', 'true') ~ '\n' ~ cdc_silver_query(cdc, bronze, none, changes, plan)) }}
    {%- endif -%}
    {{ return(cdc_silver_query(cdc, bronze, existing, changes, plan)) }}
{% endmacro %}
