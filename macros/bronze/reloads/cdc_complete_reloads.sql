{#
    The reloads that this batch completes: bronze has no row R of them yet. A reload with untouched load files of an earlier
    load is not complete: it removes nothing, and a warning names the files that it waits for.
#}
{% macro cdc_complete_reloads(cdc, existing, files) %}
    {% set listing, rejected = ref('raw_listing'), ref('rejected_files') %}
    {% set known = [] %}
    {% if existing is not none %}
        {% set known_sql = 'select distinct _cdc_generation as generation from ' ~ existing
            ~ " where _cdc_operation = 'R'" %}
        {% set known = run_query(known_sql).columns['generation'].values() | map('int') | list %}
    {% endif %}
    {% set complete = [] %}
    {% for reload in run_query(cdc_reloads_sql(cdc, listing, rejected, files.last_batch_id, cdc_split_of(cdc))) %}
        {% if reload['untouched'] and loop.last %}
            {% do exceptions.warn(
                this ~ ': the reload is not complete: these load files are still as an earlier load wrote them: '
                ~ reload['untouched'] ~ '. Keys that the reload does not hold stay until each of them is written again'
                ~ ' or removed, and another file of the table has come.'
            ) %}
        {% elif not reload['untouched'] and reload['generation'] | int not in known %}
            {% do complete.append(reload['generation'] | int) %}
        {% endif %}
    {% endfor %}
    {% do return(complete) %}
{% endmacro %}
