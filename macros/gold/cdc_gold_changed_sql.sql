{# The keys that a range of bronze changes: those of its rows, and the old ones of rows that got another key. #}
{% macro cdc_gold_changed_sql(input, range_sql, has_old_keys) -%}
with _cdc_range as (
    {{ range_sql | indent(4) }}
)

select distinct {{ get_quoted_csv(input.key) }}
from _cdc_range
{%- if has_old_keys %}
union
select
    {%- for column in input.key %}
    cast({{ adapter.call_function('python_udfs.pipeline.keys.read_old_key', {
        'text': _gold_old_value_sql(column), 'type_': input.columns[column],
    }) }} as {{ input.columns[column] }})
        as {{ adapter.quote(column) }}{{ ',' if not loop.last }}
    {%- endfor %}
from _cdc_range
where _cdc_old_key is not null
{%- endif %}
{%- endmacro %}


{# The value of a key column in a map, whose names are spelled as the source spells them. #}
{% macro _gold_old_value_sql(column) -%}
element_at(map_values(map_filter(_cdc_old_key, (name, value) -> lower(name) = {{ adapter.string_literal(column) }})), 1)
{%- endmacro %}
