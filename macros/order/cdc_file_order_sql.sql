{# The order in which a table's files are read: that of _cdc_sequence, and files of one source position by name. #}
{% macro cdc_file_order_sql() -%}
generation, kind <> 'load', file_time nulls last, path, modified_at
{%- endmacro %}
