{#
    Appends the rows of files that are new for a bronze table: asks, decides, changes columns, sets the progress, writes.
    Progress is one number: every file of a batch up to it is in the table or in rejected_files.
#}
{% macro get_incremental_cdc_append_sql(arguments) %}
    {% set cdc = adapter.call_function('python_udfs.pipeline.table.read_cdc', {'node': model}) %}
    {% set started_at = modules.datetime.datetime.now(modules.pytz.utc) %}
    {% set bronze = arguments.existing_relation %}
    {% set after_batch_id = cdc_last_batch_id(bronze) %}
    {% set rejected = none if cdc.get('is_kafka') else cdc_reread_lost_rejections(cdc, bronze, after_batch_id) %}
    {% set files = cdc_new_files(cdc, after_batch_id, arguments.verify) %}
    {% if files.is_reloaded %}
        {% do cdc_add_repeated_loads(cdc, files, after_batch_id) %}
    {% endif %}
    {% set raw = cdc_read_files(cdc, files, after_batch_id, bronze, arguments.verify) %}
    {% if bronze is not none and raw.view is none and not files.has_truncate %}
        {% do arguments.update({'message': 'nothing: no new file in the landing area since batch ' ~ after_batch_id}) %}
        {% do return(none) %}
    {% endif %}

    {% if bronze is not none and cdc.get('renamed_columns') %}
        {% do cdc_rename_columns(bronze, cdc) %}
    {% endif %}
    {% set columns = adapter.get_columns_in_relation(bronze) if bronze is not none else [] %}
    {% set plan = cdc_column_plan(cdc_source_columns(cdc, raw), columns, cdc.get('schema_drift', 'evolve')) %}
    {% if cdc.get('schema_drift') == 'quarantine' %}
        {% do raw.update({'drift_sql': cdc_schema_drift_sql(cdc, raw, columns, bronze)}) %}
    {% endif %}
    {% do cdc_warn_of_types(this, cdc, plan) %}
    {% if bronze is not none and plan | selectattr('change') | list %}
        {% do cdc_evolve_columns(bronze, plan) %}
    {% endif %}

    {% set reloads = [] %}
    {% if files.is_reloaded %}
        {% set reloads = cdc_assign_generations(cdc, bronze, files, raw, plan, after_batch_id) %}
    {% endif %}
    {% set log = cdc_judge_source_log(bronze, files.source_logs) %}
    {% do raw.update({
        'loads_after': log.loads_after,
        'has_short_records': _has_short_records(cdc, files, raw, plan),
        'has_truncate': files.has_truncate,
        'overwritten': files.overwritten | reject('in', raw.rejected | map(attribute='path') | list) | list,
        'reloads': reloads,
        'bronze': bronze,
    }) %}
    {% set rows_sql = cdc_bronze_sql(cdc, files.sql, raw, plan, files.last_batch_id) %}

    {% if this | string in adapter.notes('rejected') %}
        {% set rejected = cdc_rejected_count(cdc, ref('rejected_files')) %}
    {% endif %}
    {% do adapter.set_snapshot_properties({
        'cdc.batch-id': files.last_batch_id,
        'cdc.started-at': started_at,
        'cdc.plain-changes': 'true' if _has_plain_changes(cdc, files, raw) else none,
        'cdc.rejected': rejected,
        'cdc.source-log': log.state,
        'cdc.second-snapshot': log.second_snapshot,
        'cdc.log-began-again': log.began_again,
        'cdc.line-breaks': 'true' if raw.has_line_breaks else none,
    }) %}
    {% set way = 'create' if bronze is none else 'append' %}
    {% set reasons = ['files=' ~ files.paths | length] %}
    {% do reasons.append('multi-table files') if files.has_multi_table %}
    {% do reasons.append('truncate') if files.has_truncate %}
    {% do arguments.update({'message': way ~ ': ' ~ reasons | join(', '), 'verified': raw.verified}) %}
    {% if bronze is none %}
        {% do return(create_table_as(false, this, rows_sql)) %}
    {% endif %}
    {% do return('insert into ' ~ bronze ~ ' by name\n' ~ rows_sql) %}
{% endmacro %}


{% macro _has_short_records(cdc, files, raw, plan) %}
    {% if cdc.format != 'csv' or raw.view is none or not cdc_csv_optional_columns(cdc, plan) %}
        {% do return(false) %}
    {% endif %}
    {% do return(run_query(cdc_csv_short_records_sql(cdc, files.sql, raw.view)).rows | length > 0) %}
{% endmacro %}


{#
    Whether each row of the batch is a change that carries all values under the key that the row has now, and none is a
    marker. Silver then need not read the rows to find out.
#}
{% macro _has_plain_changes(cdc, files, raw) %}
    {% set options = cdc.options %}
    {% set has_markers = raw.has_truncate or raw.overwritten or raw.reloads %}
    {% set has_other_rows = options.get('before_image_prefix') or options.get('unavailable_value') %}
    {% set are_plain = files.are_plain if cdc.format == 'json' else not has_other_rows %}
    {% do return(are_plain and not has_markers and options.get('absent_columns') != 'keep') %}
{% endmacro %}
