{# A history is right only if its open versions are the rows of the source: computed from bronze, without versions. #}
{% test open_versions_match_bronze(model) %}
{{ cdc_blocks_nothing() }}
{{ cdc_data_tests().write_open_versions(model) if cdc_is_test() else 'select *\nfrom ' ~ model }}
{% endtest %}
