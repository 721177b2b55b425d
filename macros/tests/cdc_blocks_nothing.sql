{#
    In `dbt build` a failed test skips whatever depends on everything that the test depends on. Nothing depends on
    the seed: with it among the dependencies a failed test is reported, and every other table is built all the same.
#}
{% macro cdc_blocks_nothing() -%}
-- depends_on: {{ ref('cdc_tables') }}
{%- endmacro %}
