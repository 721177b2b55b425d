{# Models that were generated from other seeds, or for other readers, would answer for the wrong tables. #}
{% macro cdc_check_seed_checksums() %}
    {% do adapter.call_function('python_udfs.pipeline.hooks.require_unchanged_seeds', {
        'nodes': graph.nodes, 'project': project_name, 'checksums': cdc_seed_checksums(),
        'readers': var('cdc_readers'),
    }) if execute %}
{% endmacro %}
