{#
    Appends the rows of files that are new for a bronze table: asks, decides, changes columns, sets the progress, writes.
    Progress is one number: every file of a batch up to it is in the table or in rejected_files.
#}
{% macro get_incremental_cdc_append_sql(arguments) %}
    {% set cdc = model.config.meta.cdc %}
    {% set bronze = arguments.existing_relation %}
    {% set after_batch_id = cdc_last_batch_id(bronze) %}
    {% set files = cdc_new_files(cdc, after_batch_id) %}
    {% set raw = cdc_with_multi_table_files(cdc, files, after_batch_id, cdc_read_files(cdc, files)) %}
    {% do cdc_warn_of_names(cdc, raw) %}
    {% if bronze is not none and raw.view is none and not files.has_truncate %}
        {% do arguments.update({'message': 'nothing: no new file in the landing area since batch ' ~ after_batch_id}) %}
        {% do return(none) %}
    {% endif %}

    {% if bronze is not none %}
        {% do cdc_rename_columns(bronze, cdc) %}
    {% endif %}
    {% set columns = adapter.get_columns_in_relation(bronze) if bronze is not none else [] %}
    {% set plan = cdc_column_plan(cdc_source_columns(cdc, raw), columns, cdc.get('schema_drift', 'evolve')) %}
    {% if cdc.get('schema_drift') == 'quarantine' %}
        {% do raw.update({'drift_sql': cdc_schema_drift_sql(cdc, raw, columns)}) %}
    {% endif %}
    {% if bronze is not none %}
        {% do cdc_evolve_columns(bronze, plan) %}
    {% endif %}

    {% if raw.view is not none and cdc_csv_optional_columns(cdc, plan) %}
        {% set short = run_query(cdc_csv_short_records_sql(cdc, files.sql, raw.view)) %}
        {% do raw.update({'has_short_records': short.rows | length > 0, 'bronze': bronze}) %}
    {% endif %}
    {% set reloads = cdc_assign_generations(cdc, bronze, files, raw, plan, after_batch_id) %}
    {% do raw.update({
        'has_truncate': files.has_truncate,
        'overwritten': files.overwritten | reject('in', raw.get('rejected', []) | map(attribute='path') | list) | list,
        'reloads': reloads,
        'bronze': bronze,
    }) %}

    {% do cdc_set_progress({'batch-id': files.last_batch_id}) %}
    {% set rows_sql = cdc_bronze_sql(cdc, files.sql, raw, plan, files.last_batch_id) %}
    {% set way = 'create' if bronze is none else 'append' %}
    {% set reasons = (['records of multi-table files'] if files.has_mixed else []) + (['a truncate'] if files.has_truncate else []) %}
    {% do arguments.update({'message': cdc_write_message(way, files.paths | length, 'file', reasons)}) %}
    {% if bronze is none %}
        {% do return(create_table_as(false, this, rows_sql)) %}
    {% endif %}
    {% set names = adapter.get_columns_in_relation(bronze) | map(attribute='name') | list %}
    {% do return(cdc_insert_sql(bronze, '(\n' ~ rows_sql ~ '\n)', names)) %}
{% endmacro %}
