{#
    Silver computed again from bronze by another algorithm than the model's: the keys with changes since the last
    comparison, or the whole table (python_udfs/pipeline/checks.py).
#}
{% test silver_matches_bronze(model) %}
{{ cdc_blocks_nothing() }}
{{ cdc_data_tests().write_comparison(model) if cdc_is_test() else 'select *\nfrom ' ~ model }}
{% endtest %}
