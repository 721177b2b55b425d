{#
    Changes the types of bronze by one commit that carries the progress: in place where Iceberg can, else all rows are
    written beside the live files. The sequence, the batch and all other columns of a row stay as they are.
#}
{% macro cdc_rewrite_bronze(bronze, changes) %}
    {% if not changes | rejectattr('is_in_place') | list %}
        {% do return(cdc_evolve_columns(bronze, changes)) %}
    {% endif %}
    {% set settings = (cdc_models_of('bronze') | selectattr('alias', 'equalto', bronze.identifier) | first).config %}
    {% set summary = adapter.newest_summary(bronze, 'cdc.batch-id') %}
    {% set progress = {
        'cdc.batch-id': cdc_last_batch_id(bronze),
        'cdc.line-breaks': summary.get('cdc.line-breaks'),
        'cdc.rejected': summary.get('cdc.rejected'),
    } %}
    {% do adapter.set_snapshot_properties(progress) %}
    {% set create_sql = 'create or replace table ' ~ bronze ~ '\n' ~ cdc_table_clauses_sql(settings) %}
    {% do run_query(create_sql ~ '\nas\n' ~ _rewritten_sql(bronze, changes)) %}
    {% do adapter.set_snapshot_properties(dict.fromkeys(progress)) %}
{% endmacro %}


{% macro _rewritten_sql(bronze, changes) -%}
{%- set by_name = {} -%}
{%- for column in changes -%}
    {%- do by_name.update({column.name: column}) -%}
{%- endfor -%}
select
    {%- for column in adapter.get_columns_in_relation(bronze) %}
    {%- set name = adapter.quote(column.name) %}
    {{ cdc_cast_sql(by_name[column.name]) ~ ' as ' ~ name if column.name in by_name else name }}
    {{- ',' if not loop.last }}
    {%- endfor %}
from {{ bronze }}
{%- endmacro %}
