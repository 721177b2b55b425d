{#
    The files that are new for a table; _macros.yml names all that is returned. Files whose content was replaced before
    anybody read it are written to rejected_files here, so that each of them keeps a reason.
#}
{% macro cdc_new_files(cdc, after_batch_id, verify='schema') %}
    {% set files = {
        'paths': [], 'overwritten': [], 'has_truncate': false, 'has_load': false, 'has_multi_table': false,
        'is_reloaded': false, 'is_large': false, 'source_logs': [], 'names': [], 'are_plain': true, 'last_batch_id': after_batch_id,
    } %}
    {% if flags.EMPTY %}
        {% set listing, rejected = cdc_relation_of('raw_listing'), cdc_relation_of('rejected_files') %}
        {% do return(dict(files, sql=cdc_new_files_sql(listing, rejected, cdc, after_batch_id) ~ '\nlimit 0')) %}
    {% elif cdc.get('is_kafka') %}
        {% do return(dict(files, **cdc_new_messages(cdc, after_batch_id))) %}
    {% endif %}
    {% set split = ref(cdc.split) if cdc.get('split') else none %}
    {% set newest = cdc_newest_batches(cdc, ref('raw_listing'), after_batch_id) %}
    {% set sql = cdc_new_files_sql(
        ref('raw_listing'), ref('rejected_files'), cdc, after_batch_id, split, newest.has_gone, newest.is_reloaded
    ) %}
    {% if split is none and newest.batch_id <= after_batch_id | int %}
        {% do return(dict(files, sql=sql ~ '\nlimit 0')) %}
    {% endif %}
    {#- Asked again (full), what the tables of a run share lacks the files that this table has rejected since. -#}
    {% set view, asks_alone = this.identifier ~ '__files', verify == 'full' or _asks_alone(cdc) %}
    {% do _cache_new_files(view, cdc, after_batch_id, sql, newest, asks_alone) %}
    {% do files.update({'is_reloaded': newest.is_reloaded, 'sql': 'select *\nfrom ' ~ adapter.quote(view)}) %}
    {% set replaced = [] %}
    {#- The order decides the types of columns (cdc_column_plan). -#}
    {% for file in run_query(files.sql ~ '\norder by ' ~ cdc_file_order_sql()) %}
        {% if file['kind'] == 'truncate' %}
            {% do files.update({'has_truncate': true}) %}
        {% elif file['kind'] == 'multi_table' %}
            {% do files.update({'has_multi_table': true}) %}
            {% if cdc.format == 'json' %}
                {% do files.source_logs.append(file['source_log']) %}
                {% do files.names.extend(fromjson(file['names'] or '[]')) %}
                {% set has_changed_keys = fromjson(file['changed_keys'] or '[]') | length > 0 %}
                {% do files.update({'are_plain': files.are_plain and file['are_plain'] and not has_changed_keys}) %}
            {% endif %}
        {% elif file['is_newest'] %}
            {% do files.paths.append(file['path']) %}
            {% do files.update({'has_load': files.has_load or file['kind'] == 'load'}) %}
            {% do files.update({'is_large': files.is_large or file['size'] > 16000000}) %}
        {% else %}
            {% do replaced.append({'path': file['path'], 'reason': 'replaced by newer content before it was read'}) %}
        {% endif %}
        {% if file['kind'] in ['change', 'multi_table'] and file['is_newest'] and file['revision'] %}
            {% do files.overwritten.append(file['path']) %}
        {% endif %}
        {% do files.update({'last_batch_id': [files.last_batch_id | int, file['batch_id'] | int] | max}) %}
    {% endfor %}
    {% do cdc_reject_files(cdc, files.sql, 'replaced', replaced) if replaced %}
    {% do return(files) %}
{% endmacro %}


{#
    Whether a table asks the listing for its own files: where its records are split from multi-table files, or the run has
    one or two tables of bronze. What all tables of a run share is two questions, which cost as much as three.
#}
{% macro _asks_alone(cdc) %}
    {% set of_run = adapter.notes('tables of the run') %}
    {% if not of_run %}
        {% set arguments = {'layer': 'bronze', 'nodes': graph.nodes, 'unique_ids': selected_resources} %}
        {% do of_run.update({'count': adapter.call_function('python_udfs.pipeline.table.count_layer', arguments)}) %}
    {% endif %}
    {% do return(cdc.get('split') is not none or of_run.count <= 2) %}
{% endmacro %}


{#
    Caches the rows of the files that are new for a table. Most tables with new files have them in the newest batch and
    nowhere else: then the listing is asked once for all tables.
#}
{% macro _cache_new_files(view, cdc, after_batch_id, sql, newest, asks_alone) %}
    {% set is_odd = asks_alone or newest.has_gone or newest.is_reloaded %}
    {% if is_odd or newest.earlier_batch_id > after_batch_id | int or newest.file_count > 10000 %}
        {% do return(adapter.cache_rows(view, sql)) %}
    {% endif %}
    {% set of_all_sql = cdc_new_files_sql(ref('raw_listing'), ref('rejected_files'), none, newest.batch_id - 1) %}
    {% set table = {'feed': cdc.feed, 'source_schema': cdc.source_schema, 'source_table': cdc.source_table} %}
    {% do adapter.cache_rows(view, of_all_sql, table) %}
{% endmacro %}
