{# Asks for the columns of the files that wait for one bronze table, and of the table. #}
{% macro cdc_drift_of(node) %}
    {% set cdc = node.config.meta.cdc %}
    {% set bronze = adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
    {% set sql = cdc_new_files_sql(ref('raw_listing'), ref('rejected_files'), cdc, cdc_last_batch_id(bronze)) %}
    {% set in_order_sql = 'select *\nfrom (' ~ sql ~ ')\norder by ' ~ cdc_file_order_sql() %}
    {% set paths = [] %}
    {% for file in run_query(in_order_sql) if file['is_newest'] and file['kind'] != 'truncate' %}
        {% do paths.append(file['path']) %}
    {% endfor %}
    {% if not paths %}
        {% do return(none) %}
    {% endif %}
    {% set raw = cdc_open_files(cdc, node.alias ~ '__drift', paths, 'schema') %}
    {% set columns = adapter.get_columns_in_relation(bronze) if bronze is not none else [] %}
    {% set facts = {'table': node.alias, 'schema_drift': cdc.get('schema_drift', 'evolve'), 'rejected': raw.rejected} %}
    {% do facts.update(cdc_drift_columns(cdc, raw, columns)) %}
    {% do return(facts) %}
{% endmacro %}
