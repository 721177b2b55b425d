{# The path under which the rows of one version of a file are replayed. Millis: modified_millis of the version. #}
{% macro cdc_replay_path_sql(file_key, millis) -%}
concat({{ file_key }}, ' of ', {{ millis }})
{%- endmacro %}
