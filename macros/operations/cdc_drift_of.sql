{# Asks for the columns of the files and messages that wait for one bronze table, of the table, and for their values. #}
{% macro cdc_drift_of(node, split=none) %}
    {% set cdc, view = node.cdc, node.alias ~ '__drift' %}
    {% set bronze = adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
    {% set after_batch_id = cdc_last_batch_id(bronze) %}
    {% set sql = cdc_new_files_sql(ref('raw_listing'), ref('rejected_files'), cdc, after_batch_id, split) %}
    {% set files = cdc_drift_files(sql) %}
    {% if not files.paths and not files.has_multi_table %}
        {% do return(none) %}
    {% endif %}
    {% set raw = adapter.call_function('python_udfs.pipeline.reading.Reading', {}) %}
    {% if files.paths %}
        {#- The footers of parquet show the columns of all files; values are read of the first ones. -#}
        {% set is_parquet = cdc.format == 'parquet' %}
        {% set paths = files.paths if is_parquet else files.first_paths %}
        {% set raw = cdc_open_files(cdc, view, paths, 'schema' if is_parquet else 'full') %}
    {% endif %}
    {% set judged = raw %}
    {% if cdc.format == 'parquet' and files.first_paths != files.paths %}
        {% set judged = cdc_open_files(cdc, view ~ '_values', files.first_paths, 'schema') %}
    {% endif %}
    {% if files.has_multi_table %}
        {% set raw = cdc_with_multi_table_files(cdc, files, after_batch_id, raw, split, view ~ '_records') %}
        {% set judged = raw %}
    {% endif %}
    {% set columns = adapter.get_columns_in_relation(bronze) if bronze is not none else [] %}
    {% set facts = {'table': node.alias, 'schema_drift': cdc.get('schema_drift', 'evolve'), 'rejected': raw.rejected} %}
    {% do facts.update({'keeps_absent': cdc.options.get('absent_columns') == 'keep'}) %}
    {% do facts.update({'are_typed': cdc.format == 'parquet'}) %}
    {% do facts.update({'files': files.paths | length, 'first_files': files.first_paths | length}) %}
    {% do facts.update(cdc_drift_columns(cdc, raw, columns)) %}
    {% do facts.update({'missing': cdc_drift_missing(cdc, files, raw, facts.target, split, after_batch_id)}) %}
    {% do facts.update(cdc_drift_values(cdc, files, sql, raw, judged, facts.pop('target'), bronze)) %}
    {% do return(facts) %}
{% endmacro %}
