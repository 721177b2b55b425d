{# The newest content of each load file in each generation of bronze: modified_millis as in _cdc_sequence. #}
{% macro cdc_newest_loads_sql(bronze) -%}
select
    loads._cdc_source_file,
    loads._cdc_generation,
    max({{ cdc_sequence_part('loads._cdc_sequence', 'modified_millis') }}) as modified_millis
from {{ bronze }} as loads
where {{ cdc_is_load_sql('loads') }}
group by loads._cdc_source_file, loads._cdc_generation
{%- endmacro %}
