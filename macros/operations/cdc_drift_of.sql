{# Asks for the columns of the files and messages that wait for one bronze table, of the table, and for their values. #}
{% macro cdc_drift_of(node, split=none) %}
    {% set question, cdc, view = 'python_udfs.drift.question.', node.cdc, node.alias ~ '__drift' %}
    {% set bronze = cdc_existing_of(node) %}
    {% set after_batch_id = cdc_last_batch_id(bronze) %}
    {% set sql = cdc_new_files_sql(ref('raw_listing'), ref('rejected_files'), cdc, after_batch_id, split) %}
    {% set files = adapter.call_function(question ~ 'sort_files', {
        'rows': adapter.query('select *\nfrom (' ~ sql ~ ')\norder by ' ~ cdc_file_order_sql())
    }) %}
    {% if not files.paths and not files.has_multi_table %}
        {% do return(none) %}
    {% endif %}
    {#- The footers of parquet show the columns of all files; values are read of the first ones. -#}
    {% set paths, verify = (files.paths, 'schema') if cdc.format == 'parquet' else (files.first_paths, 'full') %}
    {% set raw = cdc_open_files(cdc, view, paths, verify) if paths
        else adapter.call_function('python_udfs.pipeline.reading.Reading', {}) %}
    {% set judged = raw if paths == files.first_paths
        else cdc_open_files(cdc, view ~ '_values', files.first_paths, verify) %}
    {% if files.has_multi_table %}
        {% set raw = cdc_with_multi_table_files(cdc, files, after_batch_id, raw, split, view ~ '_records') %}
        {% set judged = raw %}
    {% endif %}
    {% set source_columns = cdc_source_columns(cdc, raw) %}
    {% set compared = adapter.call_function(question ~ 'compare_columns', {
        'cdc': cdc, 'source': source_columns,
        'table': adapter.get_columns_in_relation(bronze) if bronze is not none else [],
    }) %}
    {% set facts = {'cdc': cdc, 'files': files, 'raw': raw} %}
    {% set missing = adapter.call_function(question ~ 'find_missing', dict(
        facts, target=compared.target, **cdc_drift_names(cdc, raw, split, after_batch_id)
    )) %}
    {% do return(adapter.call_function(question ~ 'describe_table', dict(
        facts, table=node.alias, compared=compared, missing=missing,
        judged=cdc_drift_values(cdc, files, sql, judged, source_columns, compared.target, bronze),
    ))) %}
{% endmacro %}
