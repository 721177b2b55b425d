{# Models that were generated from other seeds than those in the project would answer for the wrong tables. #}
{% macro cdc_check_seed_checksums() %}
    {% if execute %}
        {% set changed = [] %}
        {% for name, checksum in cdc_seed_checksums().items() %}
            {% set seed = graph.nodes.get('seed.' ~ project_name ~ '.' ~ name) %}
            {% if seed is none or seed.checksum.checksum != checksum %}
                {% do changed.append('seeds/' ~ name ~ '.csv') %}
            {% endif %}
        {% endfor %}
        {% if changed %}
            {% do exceptions.raise_compiler_error(
                'CDC error (cdc_check_seed_checksums): seeds changed: run make models. Changed since the models were generated: '
                ~ changed | join(', ') ~ '.'
            ) %}
        {% endif %}
    {% endif %}
{% endmacro %}
