{# A question about one moment must find one version of a row at most: an overlap counts it twice. #}
{% test versions_do_not_overlap(model) %}
{{ cdc_blocks_nothing() }}
{%- if not cdc_is_test() or cdc_data_tests().check(model).reads_all %}
{{ cdc_overlaps_sql(cdc_config_of(model), model) }}
{%- endif %}
{% endtest %}
