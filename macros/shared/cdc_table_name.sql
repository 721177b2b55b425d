{#
    The name that a column of the source has in bronze and silver. Iceberg reserves names, and we add columns: such a
    name gets `source_` in front, and so does one that could be such a name, so that no two columns get one name.
    metadata.table_name applies the same rule to the seeds.
#}
{% macro cdc_table_name(name) %}
    {% set bare = namespace(name=name | lower) %}
    {% for _ in range(name | length) if bare.name.startswith('source_') %}
        {% set bare.name = bare.name[7:] %}
    {% endfor %}
    {% set reserved = [
        '_deleted', '_file', '_pos', '_partition', '_spec_id', '_row_id', '_last_updated_sequence_number',
        '_change_type', '_change_ordinal', '_commit_snapshot_id',
    ] %}
    {% do return('source_' ~ name if bare.name in reserved or bare.name.startswith('_cdc_') else name) %}
{% endmacro %}
