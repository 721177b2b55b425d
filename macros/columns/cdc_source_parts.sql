{#
    Those of the columns of files that are the source's: not those that DMS adds. Columns that the metadata lists never are
    control columns: without a header, a column named Op is the source's. Without a name there is no column: who reads the
    files reports a value that is there (cdc_csv_layout_sql, cdc_message_records_sql), and rejects such a file of parquet.
#}
{% macro cdc_source_parts(cdc, columns, are_listed=false) %}
    {% set names = [] %}
    {% for column in columns %}
        {% do names.append(column.get('file_name', column.name)) %}
    {% endfor %}
    {% set controls = [] if are_listed else _control_columns(cdc, names) %}
    {% set parts = [] %}
    {% for column in columns %}
        {% set name = names[loop.index0] %}
        {% if name and name not in controls and not _is_added_by_dms(cdc, name, names) %}
            {% do parts.append(column) %}
        {% endif %}
    {% endfor %}
    {% do return(parts) %}
{% endmacro %}


{#
    DMS writes `Op` so and no other way: a column `op` is the source's. The timestamp column is the one that has the
    name of the metadata; without it, the one that differs by case only.
#}
{% macro _control_columns(cdc, names) %}
    {% set controls = [] %}
    {% if 'Op' in names and cdc.options.operation_column != 'never' and cdc.get('format') != 'json' %}
        {% do controls.append('Op') %}
    {% endif %}
    {% set timestamp = cdc.options.get('timestamp_column') or '' %}
    {% for name in names if name == timestamp or timestamp not in names and name | lower == timestamp | lower %}
        {% do controls.append(name) %}
    {% endfor %}
    {% do return(controls) %}
{% endmacro %}


{#
    The change sequence and before images stand behind the columns of the source (docs/contracts.md section 1.3). The
    prefix counts as the metadata writes it: with BI_, bi_score is a column of the source.
#}
{% macro _is_added_by_dms(cdc, name, names) %}
    {% set prefix = cdc.options.get('before_image_prefix') %}
    {% set sequence = cdc.options.get('change_sequence_column') or '' %}
    {% set is_sequence = name == sequence or sequence not in names and name | lower == sequence | lower %}
    {% do return(is_sequence or prefix is not none and name.startswith(prefix)) %}
{% endmacro %}
