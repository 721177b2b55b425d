{#
    The newest content of each load file in each generation of bronze: modified_millis as in _cdc_sequence. Content with
    rows of `waiting`, an expression of cdc_waiting_loads_sql, is left out.
#}
{% macro cdc_newest_loads_sql(bronze, waiting=none) -%}
select
    loads._cdc_source_file,
    loads._cdc_generation,
    max({{ cdc_sequence_part('loads._cdc_sequence', 'modified_millis') }}) as modified_millis
from {{ bronze }} as loads
{%- if waiting %}
left anti join {{ waiting }}
    on
        loads._cdc_source_file = {{ waiting }}.source_file
        and {{ cdc_sequence_part('loads._cdc_sequence', 'modified_millis') }} = {{ waiting }}.modified_millis
{%- endif %}
where {{ cdc_is_load_sql('loads') }}
group by loads._cdc_source_file, loads._cdc_generation
{%- endmacro %}
