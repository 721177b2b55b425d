{#
    Returns paths (the objects to read), overwritten (change objects of which an earlier version was listed), has_truncate, has_mixed (records wait in the split table), last_batch_id (what
    progress becomes) and sql, which reads the rows of cdc_new_files_sql without asking the listing again. Objects whose
    content was replaced before anybody read it are written to rejected_files here, so that each of them keeps a reason.
#}
{% macro cdc_new_files(cdc, after_batch_id) %}
    {% set split = cdc_split_of(cdc) %}
    {% set sql = cdc_new_files_sql(ref('raw_listing'), ref('rejected_files'), cdc, after_batch_id, split=split) %}
    {% set files = {
        'paths': [], 'overwritten': [], 'has_truncate': false, 'has_mixed': false, 'last_batch_id': after_batch_id,
        'sql': sql ~ '\nlimit 0',
    } %}
    {% if not cdc_is_listed(cdc, after_batch_id) %}
        {% do return(files) %}
    {% endif %}
    {% set view = this.identifier ~ '__files' %}
    {% do cdc_keep_new_files(view, cdc, after_batch_id, sql) %}
    {% do files.update({'sql': 'select *\nfrom ' ~ cdc_quote(view)}) %}
    {% set to_read, replaced = [], [] %}
    {% for file in run_query(files.sql) %}
        {% if file['kind'] == 'truncate' %}
            {% do files.update({'has_truncate': true}) %}
        {% elif file['kind'] == 'mixed' %}
            {% do files.update({'has_mixed': true}) %}
        {% elif file['is_newest'] %}
            {% do to_read.append(file) %}
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
    {% do return(files) %}
{% endmacro %}
