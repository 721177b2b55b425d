{#
    Gives the files of a batch their load generations, where a load file of the table came more than once, and finds the
    reloads that are complete with this batch. Other tables have one generation.
#}
{% macro cdc_assign_generations(cdc, existing, files, raw, plan, after_batch_id) %}
    {% set same = cdc_redelivered(cdc, existing, files, raw, plan) if existing is not none else [] %}
    {% set view = this.identifier ~ '__placed' %}
    {% do adapter.cache_rows(view, cdc_generation_files_sql(
        cdc, files.sql, ref('raw_listing'), ref('rejected_files'), after_batch_id, files.last_batch_id, same,
        split=cdc_split_of(cdc)
    )) %}
    {% do files.update({'sql': 'select *\nfrom ' ~ adapter.quote(view)}) %}
    {% do return(cdc_complete_reloads(cdc, existing, files)) %}
{% endmacro %}
