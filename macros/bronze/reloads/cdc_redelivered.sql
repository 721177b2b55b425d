{#
    The keys of the load files of a batch whose rows bronze has already. They are written to rejected_files before the
    batch is committed. A load path that comes again is rare, so only then contents are compared.
#}
{% macro cdc_redelivered(cdc, bronze, files, raw, plan) %}
    {% set earlier = [] %}
    {% if raw.view and files.has_load %}
        {% set earlier_sql = cdc_earlier_loads_sql(
            files.sql, ref('raw_listing'), ref('rejected_files'), cdc, files.last_batch_id
        ) %}
        {% for file in run_query(earlier_sql) %}
            {% do earlier.append({
                'file_key': file['file_key'], 'path': file['path'], 'earlier': file['earlier'],
                'earlier_millis': file['earlier_millis'], 'is_known': file['is_known'],
            }) %}
        {% endfor %}
    {% endif %}
    {% if not earlier %}
        {% do return([]) %}
    {% endif %}
    {% set loads_sql = 'select *\nfrom (' ~ files.sql ~ ")\nwhere kind = 'load' and not is_again" %}
    {% set rows_sql = cdc_bronze_sql(cdc, loads_sql, raw, plan) %}
    {% set same_sql = cdc_same_content_sql(rows_sql, bronze, plan, earlier, cdc.options.get('timestamp_column')) %}
    {% set same = run_query(same_sql).columns['file_key'].values() | list %}
    {% set found = [] %}
    {% for file in earlier if file.file_key in same and not file.is_known %}
        {% do found.append({
            'path': file.path, 'reason': 'delivered again: the same rows as the version of ' ~ file.earlier ~ ' UTC'
        }) %}
    {% endfor %}
    {% do cdc_reject_files(cdc, files.sql ~ '\nwhere not is_again', 'redelivered', found) %}
    {% do return(same) %}
{% endmacro %}
