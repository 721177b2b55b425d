{#
    Adds the load files that may belong to a reload of this batch. Which of them do is known once their content is
    compared; their order does not depend on it.
#}
{% macro cdc_add_repeated_loads(cdc, files, after_batch_id) %}
    {% set sql = 'select\n    *,\n    false as is_again\nfrom (' ~ files.sql ~ ')' %}
    {% set listing, rejected = ref('raw_listing'), ref('rejected_files') %}
    {% if files.has_load %}
        {% set sql = cdc_load_again_sql(cdc, files.sql, listing, rejected, after_batch_id, files.last_batch_id) %}
    {% endif %}
    {% set view = this.identifier ~ '__again' %}
    {% do adapter.cache_rows(view, sql) %}
    {% do files.update({'sql': 'select *\nfrom ' ~ adapter.quote(view)}) %}
    {% if files.has_load %}
        {% set placed_sql = cdc_generation_files_sql(
            cdc, files.sql, listing, rejected, after_batch_id, files.last_batch_id, [], split=cdc_split_of(cdc)
        ) %}
        {% set paths_sql = 'select path\nfrom (' ~ placed_sql ~ ")\nwhere is_newest and kind in ('load', 'change')"
            ~ '\norder by ' ~ cdc_file_order_sql() %}
        {% do files.update({'paths': run_query(paths_sql).columns['path'].values() | list}) %}
    {% endif %}
{% endmacro %}
