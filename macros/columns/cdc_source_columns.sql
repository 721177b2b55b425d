{#
    The source's columns in one batch: name, raw_type (as the view has it), type (as bronze shall have it), is_listed
    (cdc_columns.csv asks for it) and types, those of the files in their order, where they are not the same. Parquet
    carries names and types: a type in cdc_columns.csv goes before those of the files, and a column of which nothing states a
    type (void) comes with the first file that does. CSV and messages take both from cdc_columns.csv, and a header or a
    message may add columns, as text. What DMS adds, the control columns, the change sequence and before images, is not the
    source's. A column that was renamed goes by its new name, and the files of one batch may have both.
#}
{% macro cdc_source_columns(cdc, raw) %}
    {% set columns = {} %}
    {% if cdc.format != 'parquet' %}
        {% for column in cdc_source_parts(cdc, cdc.columns, are_listed=true) %}
            {% set type = _table_type(column.type) %}
            {% set raw_type = type if cdc.format == 'json' and type == 'binary' else 'string' %}
            {% do columns.update({
                column.name | lower: {'name': column.name, 'raw_type': raw_type, 'type': type, 'is_listed': true}
            }) %}
        {% endfor %}
    {% endif %}
    {% for column in cdc_source_parts(cdc, raw.columns) if column.type != 'void' %}
        {% set name = cdc_new_name(cdc, column.name) if cdc.get('renamed_columns') else column.name %}
        {% set known = columns.get(name | lower) %}
        {% set type = _table_type(column.type) %}
        {% if known is none %}
            {% do columns.update({
                name | lower: {'name': name, 'raw_type': column.type, 'type': type, 'is_listed': false}
            }) %}
        {% elif not known.is_listed and known.raw_type != column.type %}
            {% do known.update({'types': known.get('types', [known.type]) + [type]}) %}
        {% endif %}
    {% endfor %}
    {% do _bind_types(cdc, columns) if cdc.format == 'parquet' %}
    {% do return(columns.values() | list) %}
{% endmacro %}


{#
    Gives the columns of parquet files the types of cdc_columns.csv, as if a file before them had these. A column that no
    file has gets its row, too: a table without files is as its metadata describes it.
#}
{% macro _bind_types(cdc, columns) %}
    {% for listed in cdc_source_parts(cdc, cdc.get('columns', [])) %}
        {% set type, of_files = _table_type(listed.type), columns.get(listed.name | lower) %}
        {% if of_files is none %}
            {% do columns.update({
                listed.name | lower: {'name': listed.name, 'raw_type': none, 'type': type, 'is_listed': true}
            }) %}
        {% else %}
            {% set types = of_files.get('types', [of_files.type]) %}
            {% do of_files.update({'types': [type] + types}) if types != [type] %}
            {% do of_files.update({'type': type, 'is_listed': true}) %}
        {% endif %}
    {% endfor %}
{% endmacro %}


{#
    The type Iceberg keeps for a Spark type: it has no 8 and 16 bit integers, no text with a length, and no durations,
    which only files of Spark's own have.
#}
{% macro _table_type(type) %}
    {% set type = type | lower %}
    {% if type in ['tinyint', 'byte', 'smallint', 'short', 'integer'] %}
        {% do return('int') %}
    {% elif type == 'long' %}
        {% do return('bigint') %}
    {% elif type == 'real' %}
        {% do return('float') %}
    {% elif type in ['decimal', 'dec', 'numeric'] %}
        {% do return('decimal(10,0)') %}
    {% elif type.startswith(('varchar', 'char', 'interval')) or type == 'variant' %}
        {% do return('string') %}
    {% endif %}
    {% do return(type.replace(' ', '')) %}
{% endmacro %}
