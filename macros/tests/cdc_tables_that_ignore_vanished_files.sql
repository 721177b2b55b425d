{# The cdc descriptions of the bronze models whose row in seeds/cdc_tables.csv has `vanished_files` = ignore. #}
{% macro cdc_tables_that_ignore_vanished_files() %}
    {% set tables = cdc_models_of('bronze') | map(attribute='cdc') %}
    {% do return(tables | selectattr('vanished_files', 'eq', 'ignore') | list) %}
{% endmacro %}
