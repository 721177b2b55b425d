{#
    Returns paths (the objects to read, in the order of their changes), overwritten (those of change objects of which an
    earlier version was listed), has_truncate, has_load, has_mixed (records wait in the split table), is_reloaded (a load
    object of the table came more than once), last_batch_id (what progress becomes) and sql, which reads the rows of
    cdc_new_files_sql without asking the listing again. Objects whose content was replaced before anybody read it are
    written to rejected_files here, so that each of them keeps a reason.
#}
{% macro cdc_new_files(cdc, after_batch_id) %}
    {% set split = cdc_split_of(cdc) %}
    {% set is_listed = cdc_is_listed(cdc, after_batch_id) %}
    {% set newest = cdc_newest_batches(cdc) if is_listed else {} %}
    {% set sql = cdc_new_files_sql(
        ref('raw_listing'), ref('rejected_files'), cdc, after_batch_id, split=split, has_gone=newest.get('has_gone'),
        is_reloaded=newest.get('is_reloaded')
    ) %}
    {% set files = {
        'paths': [], 'overwritten': [], 'has_truncate': false, 'has_load': false, 'has_mixed': false,
        'is_reloaded': newest.get('is_reloaded'), 'last_batch_id': after_batch_id, 'sql': sql ~ '\nlimit 0',
    } %}
    {% if not is_listed %}
        {% do return(files) %}
    {% endif %}
    {% set view = this.identifier ~ '__files' %}
    {% do cdc_cache_new_files(view, cdc, after_batch_id, sql) %}
    {% do files.update({'sql': 'select *\nfrom ' ~ adapter.quote(view)}) %}
    {% set to_read, replaced = [], [] %}
    {% for file in run_query(files.sql) %}
        {% if file['kind'] == 'truncate' %}
            {% do files.update({'has_truncate': true}) %}
        {% elif file['kind'] == 'mixed' %}
            {% do files.update({'has_mixed': true}) %}
        {% elif file['is_newest'] %}
            {% do to_read.append(file) %}
            {% do files.update({'has_load': files.has_load or file['kind'] == 'load'}) %}
        {% else %}
            {% do replaced.append({'path': file['path'], 'reason': 'replaced by newer content before it was read'}) %}
        {% endif %}
        {% if file['kind'] in ['change', 'mixed'] and file['is_newest'] and file['revision'] %}
            {% do files.overwritten.append(file['path']) %}
        {% endif %}
        {% do files.update({'last_batch_id': [files.last_batch_id | int, file['batch_id'] | int] | max}) %}
    {% endfor %}
    {% do files.update({'paths': cdc_paths_in_order(to_read)}) %}
    {% do cdc_reject_files(cdc, files.sql, 'replaced', replaced) %}
    {% if files.is_reloaded %}
        {% do _add_loads_again(cdc, files, after_batch_id) %}
    {% endif %}
    {% do return(files) %}
{% endmacro %}


{#
    Adds the load objects that may belong to a reload of this batch. Which of them do is known once their content is
    compared; their order does not depend on it.
#}
{% macro _add_loads_again(cdc, files, after_batch_id) %}
    {% set sql = 'select\n    *,\n    false as is_again\nfrom (' ~ files.sql ~ ')' %}
    {% set listing, rejected = ref('raw_listing'), ref('rejected_files') %}
    {% if files.has_load %}
        {% set sql = cdc_load_again_sql(cdc, files.sql, listing, rejected, after_batch_id, files.last_batch_id) %}
    {% endif %}
    {% set view = this.identifier ~ '__again' %}
    {% do adapter.keep(view, sql) %}
    {% do files.update({'sql': 'select *\nfrom ' ~ adapter.quote(view)}) %}
    {% if files.has_load %}
        {% set placed_sql = cdc_generation_files_sql(
            cdc, files.sql, listing, rejected, after_batch_id, files.last_batch_id, [], split=cdc_split_of(cdc)
        ) %}
        {% set to_read_sql = 'select *\nfrom (' ~ placed_sql ~ ")\nwhere is_newest and kind in ('load', 'change')" %}
        {% do files.update({'paths': cdc_paths_in_order(run_query(to_read_sql))}) %}
    {% endif %}
{% endmacro %}
