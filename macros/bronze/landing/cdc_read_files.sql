{#
    Registers the view that cdc_bronze_sql reads from. A file that cannot be read is rejected and stops nothing else.
    Parquet files, and few small CSV files, are decoded when their rows are written, and before that (full) only where such a
    write has failed, or where more than rows depends on the files: columns, and which files make up a reload.
#}
{% macro cdc_read_files(cdc, files, after_batch_id, bronze, verify='schema') %}
    {% set raw = {'view': none, 'columns': [], 'schemas': [], 'rejected': [], 'has_line_breaks': false} %}
    {% set is_late = cdc.format == 'parquet' or cdc.format == 'csv' and _lines_are_records(cdc, files, bronze) %}
    {% set is_full = verify == 'full' or not files.paths or files.is_reloaded or not is_late %}
    {% if files.paths %}
        {% set view = this.identifier ~ '__raw' %}
        {% set raw = cdc_open_files(cdc, view, files.paths, 'full' if is_full else 'schema') %}
        {% if not is_full and cdc.format == 'parquet' and bronze is not none and _changes_columns(cdc, raw, bronze) %}
            {% set is_full = true %}
            {% set raw = cdc_open_files(cdc, view, files.paths, 'full') %}
        {% endif %}
    {% endif %}
    {% if raw.rejected %}
        {% for file in raw.rejected %}
            {% do exceptions.warn(this ~ ': rejected ' ~ file.path ~ ': ' ~ file.reason) %}
        {% endfor %}
        {% do cdc_reject_files(cdc, files.sql, 'unreadable', raw.rejected) %}
    {% endif %}
    {% if files.has_multi_table %}
        {% set mixed = this.identifier ~ '__mixed' %}
        {% set raw = cdc_with_multi_table_files(cdc, files, after_batch_id, raw, ref(cdc.split), mixed) %}
    {% endif %}
    {% do _warn_of_names(cdc, raw) %}
    {% do return(dict(raw, verified='full' if is_full else 'schema')) %}
{% endmacro %}


{#
    Whether CSV files may be read without a look into them: line numbers need no counting where a task reads a whole file, and
    no value went over lines in the batch before. Where one does, the write fails, and the files are read in full. Names
    in a header, and columns that a record may lack, are asked for before the write.
#}
{% macro _lines_are_records(cdc, files, bronze) %}
    {% set optional = cdc.columns | selectattr('optional') | list %}
    {% if cdc.options.header or optional or files.is_large or files.paths | length > 32 %}
        {% do return(false) %}
    {% endif %}
    {% set summary = adapter.newest_summary(bronze, 'cdc.batch-id') if bronze is not none else {} %}
    {% do return('cdc.line-breaks' not in summary) %}
{% endmacro %}


{# Whether the files bring a column or a type that the table does not have. #}
{% macro _changes_columns(cdc, raw, bronze) %}
    {% set columns = adapter.get_columns_in_relation(bronze) %}
    {% set plan = cdc_column_plan(cdc_source_columns(cdc, raw), columns, cdc.get('schema_drift', 'evolve')) %}
    {% do return(plan | selectattr('change') | list | length > 0) %}
{% endmacro %}


{# A warning for each column of a batch that has another name here, or that is nearly one of those that DMS adds. #}
{% macro _warn_of_names(cdc, raw) %}
    {% set prefix = cdc.options.get('before_image_prefix') %}
    {% for column in cdc_source_parts(cdc, raw.columns) %}
        {% set name = column.get('file_name', column.name) %}
        {% if name != column.name %}
            {% do exceptions.warn(
                this ~ ': column ' ~ name ~ ' is reserved and is called ' ~ column.name ~ ' here (docs/feeds/dms.md)'
            ) %}
        {% elif name | lower == 'op' and cdc.format == 'parquet' and cdc.options.operation_column != 'never' %}
            {% do exceptions.warn(this ~ ': column ' ~ name ~ ' is taken as a column of the source: DMS writes Op') %}
        {% elif prefix and (name | lower).startswith(prefix | lower) %}
            {% do exceptions.warn(
                this ~ ': column ' ~ name ~ ' is taken as a column of the source: before_image_prefix is ' ~ prefix
            ) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
