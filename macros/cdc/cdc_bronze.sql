{#
    Asks what is new for this table and hands it to cdc_bronze_sql. Progress is one number: every object of a batch
    up to it is in the table or in rejected_files.
#}
{% macro cdc_bronze(source_relation) %}
    {%- if not cdc_is_run() -%}
        {{ return(cdc_nothing_new_sql(this, 'compiled without reading the landing area')) }}
    {%- endif -%}
    {%- set cdc = model.config.meta.cdc -%}
    {%- set existing = load_relation(this) -%}
    {%- set after_batch_id = cdc_last_batch_id(existing) -%}
    {%- set files = cdc_new_files(cdc, after_batch_id) -%}
    {%- set raw = cdc_with_mixed(cdc, files, after_batch_id, cdc_read_files(cdc, files)) -%}
    {%- do cdc_warn_of_names(cdc, raw) -%}
    {%- if existing is not none and raw.view is none and not files.has_truncate -%}
        {{ return(cdc_nothing_new_sql(this, 'no new object in the landing area since batch ' ~ after_batch_id)) }}
    {%- endif -%}
    {%- if existing is not none -%}
        {%- do cdc_rename_columns(this, cdc) -%}
    {%- endif -%}
    {%- set target_columns = adapter.get_columns_in_relation(this) if existing is not none else [] -%}
    {%- set plan = cdc_column_plan(cdc_source_columns(cdc, raw), target_columns, cdc.get('schema_drift', 'evolve')) -%}
    {%- if cdc.get('schema_drift') == 'quarantine' -%}
        {%- do raw.update({'drift_sql': cdc_schema_drift_sql(cdc, raw, target_columns)}) -%}
    {%- endif -%}
    {%- if existing is not none -%}
        {%- do cdc_evolve_columns(this, plan) -%}
    {%- endif -%}
    {%- if raw.view is not none and cdc_csv_optional_columns(cdc, plan) -%}
        {%- set short = run_query(cdc_csv_short_records_sql(cdc, files.sql, raw.view)) -%}
        {%- do raw.update({'has_short_records': short.rows | length > 0, 'bronze': existing}) -%}
    {%- endif -%}
    {%- set reloads = cdc_place_in_generations(cdc, existing, files, raw, plan, after_batch_id) -%}
    {%- do raw.update({
        'has_truncate': files.has_truncate,
        'overwritten': files.overwritten | reject('in', raw.get('rejected', []) | map(attribute='path') | list) | list,
        'reloads': reloads,
        'bronze': existing,
    }) -%}
    {%- do cdc_set_progress({'batch-id': files.last_batch_id}) -%}
    {{ return(cdc_bronze_sql(cdc, files.sql, raw, plan, files.last_batch_id)) }}
{% endmacro %}
