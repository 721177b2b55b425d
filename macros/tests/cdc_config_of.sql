{#
    Inside a generic test the word model is the tested relation; this returns the description of its table. While dbt
    parses there is none to read, and any will do.
#}
{% macro cdc_config_of(relation) %}
    {% set placeholder = {'layer': 'silver', 'primary_key': ['key']} %}
    {% do return(
        cdc_models().describe(relation.schema ~ '.' ~ relation.identifier) if execute
        else adapter.call_function('python_udfs.pipeline.table_config.TableConfig', placeholder)
    ) %}
{% endmacro %}
