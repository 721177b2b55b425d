{#
    Takes what bronze got since the snapshot that silver's own newest snapshot names, and hands it to
    cdc_silver_sql. The new progress is committed by the merge itself.
#}
{% macro cdc_silver(bronze) %}
    {%- if not cdc_is_run() -%}
        {{ return(cdc_nothing_new_sql(this, 'compiled without reading bronze')) }}
    {%- endif -%}
    {%- set cdc = model.config.meta.cdc -%}
    {%- if load_relation(bronze) is none -%}
        {%- do exceptions.raise_compiler_error(cdc_bronze_is_missing_message(this, bronze)) -%}
    {%- endif -%}
    {%- set bronze_snapshot_id = cdc_current_snapshot_id(bronze) -%}
    {%- set existing = load_relation(this) -%}
    {%- set progress = cdc_progress(existing) -%}
    {%- if existing is not none and progress.get('cdc.bronze-snapshot-id') == bronze_snapshot_id | string -%}
        {{ return(cdc_nothing_new_sql(this, 'bronze is still at snapshot ' ~ bronze_snapshot_id)) }}
    {%- endif -%}
    {%- set plan = cdc_silver_plan(cdc, bronze, existing) -%}
    {%- if progress and not progress.get('cdc.sequence') -%}
        {#- Only stand-in columns so far, and no row: make the table anew, with the types that have arrived. -#}
        {%- do adapter.drop_relation(existing) -%}
        {%- set existing, progress = none, {} -%}
    {%- endif -%}
    {%- if existing is not none and cdc.mode == 'append' and not progress -%}
        {%- do progress.update({'cdc.batch-id': cdc_last_batch_id(existing)}) -%}
    {%- endif -%}
    {%- set changes = cdc_bronze_range(bronze, bronze_snapshot_id, progress) -%}
    {%- do cdc_set_progress({
        'bronze-snapshot-id': bronze_snapshot_id,
        'batch-id': changes.last_batch_id,
        'sequence': changes.last_sequence,
        'generation': changes.generation,
        'committed-at': changes.last_committed_at,
    }) -%}
    {%- if not plan | selectattr('raw_type') | list -%}
        {{ return(cdc_silver_empty_sql(bronze, plan, cdc.delete_mode == 'soft')) }}
    {%- endif -%}
    {{ return(cdc_silver_sql(cdc, bronze, changes, plan, existing is none)) }}
{% endmacro %}
