{#
    Silver's source columns: those of bronze. While nothing has arrived bronze has none of them; key and partition
    columns are then placeholders, and the empty table is created again when the first rows come, with the types that
    they bring. A column that bronze has under an old and a new name is one, and a frozen table keeps those it has.
#}
{% macro cdc_silver_plan(cdc, bronze, existing) %}
    {% set is_renamed = cdc.get('renamed_columns') %}
    {% set columns = adapter.get_columns_in_relation(bronze) %}
    {% set names = columns | map(attribute='name') | map('lower') | list %}
    {% set source = cdc_bronze_columns(cdc, columns) %}
    {% do _validate_key(cdc, bronze, source | map(attribute='name') | list) %}
    {% if not source %}
        {% do return(_placeholder_columns(cdc.primary_key, config.get('partition_by', []))) %}
    {% endif %}
    {% if existing is not none and is_renamed %}
        {% do cdc_rename_columns(existing, cdc, names) %}
    {% endif %}
    {% set target = adapter.get_columns_in_relation(existing) if existing is not none else [] %}
    {% do validate_cdc_renames(cdc, bronze, existing, columns, target) if is_renamed %}
    {% set is_frozen = cdc.get('schema_drift') == 'freeze' and target | length > 0 %}
    {% set plan = [] %}
    {% for column in cdc_column_plan(source, target, 'freeze' if is_frozen else 'evolve') %}
        {% if not is_frozen or column.change != 'add' %}
            {% if is_renamed %}
                {% set bronze_names = columns | map(attribute='name') %}
                {% do column.update({'old_columns': cdc_old_columns(cdc, column.name, bronze_names)}) %}
            {% endif %}
            {% do plan.append(column) %}
        {% endif %}
    {% endfor %}
    {% do return(plan) %}
{% endmacro %}


{% macro _placeholder_columns(primary_key, partition_by) %}
    {% set plan = [] %}
    {% set types = {} %}
    {% for key in primary_key %}
        {% do types.update({key: 'string'}) %}
    {% endfor %}
    {% for transform in partition_by %}
        {% set is_time = transform.split('(')[0] in ['years', 'months', 'days', 'hours'] %}
        {% set column = transform.split('(')[-1].split(',')[-1].replace(')', '').replace('`', '') | trim %}
        {% do types.update({column: 'timestamp' if is_time else 'string'}) %}
    {% endfor %}
    {% for name, type in types.items() %}
        {% do plan.append({'name': name, 'raw_type': none, 'type': type, 'change': 'add'}) %}
    {% endfor %}
    {% do return(plan) %}
{% endmacro %}


{% macro _validate_key(cdc, bronze, columns) %}
    {% set missing = cdc.primary_key | map('lower') | reject('in', columns | map('lower') | list) | list %}
    {% if columns and missing %}
        {% do exceptions.raise_compiler_error(
            'CDC error in ' ~ this ~ ' (cdc_silver_plan): ' ~ bronze ~ ' has no key column ' ~ missing | join(', ')
            ~ '; it has ' ~ columns | join(', ') ~ '. Correct primary_key of ' ~ cdc.source_schema ~ '.' ~ cdc.source_table
            ~ ' in seeds/cdc_tables.csv and run make models.'
        ) %}
    {% endif %}
{% endmacro %}
