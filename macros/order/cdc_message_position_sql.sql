{# Generation, snapshot before changes, and the source position that the connector parsed (section 6.1). #}
{% macro cdc_message_position_sql() -%}
concat_ws('.', lpad(_cdc_generation, 6, '0'), if(_cdc_kind = 'load', '0', '1'), _cdc_position)
{%- endmacro %}
