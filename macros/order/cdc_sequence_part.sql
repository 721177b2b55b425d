{# The expression of a part of _cdc_sequence (python_udfs/pipeline/sequence.py). #}
{% macro cdc_sequence_part(sequence, part) -%}
{{ adapter.call_function('python_udfs.pipeline.sequence.write_part_sql', {'sequence': sequence, 'part': part}) }}
{%- endmacro %}
