{#
    The columns of a batch by what a row needs: every row its key, and all but a delete the others, before images of the
    key included; and, in the order of _cdc_other_failures, the names of those others whose values may not fit.
#}
{% macro cdc_judged_columns(cdc, columns) %}
    {% set keys = cdc.primary_key | map('lower') | list %}
    {% set parts = {'of_key': [], 'others': []} %}
    {% for column in columns %}
        {% set is_key = column.get('key') is none and column.name | lower in keys %}
        {% do parts['of_key' if is_key else 'others'].append(column) %}
    {% endfor %}
    {% set cast = parts.others | selectattr('is_cast', 'true') | list if cdc.format == 'parquet' else [] %}
    {% do return(dict(parts, may_fail=(cast + cdc_casts(parts.others)) | map(attribute='name') | list)) %}
{% endmacro %}
