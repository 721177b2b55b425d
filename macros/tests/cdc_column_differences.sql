{#
    How the columns of a silver table differ from those that bronze and the table's mode give it. Bronze may have got a column,
    or another type, since silver was at its newest snapshot; and a frozen table keeps those that it has.
#}
{% macro cdc_column_differences(cdc, silver, bronze, snapshot_id) %}
    {% set expected, differences = _expected_columns(cdc, adapter.get_columns_in_relation(bronze)), [] %}
    {% set is_kept = cdc.get('schema_drift') == 'freeze' or not _is_newest(bronze, snapshot_id) %}
    {% set types = {} %}
    {% for column in adapter.get_columns_in_relation(silver) %}
        {% set name, type = column.name, column.dtype | lower %}
        {% set wanted = expected.get(name | lower) %}
        {% do types.update({name | lower: type}) %}
        {% if not wanted %}
            {% set text = 'column ' ~ name ~ ' is unexpected in silver, ' ~ type %}
            {% do differences.append({'name': name, 'text': text, 'is_needed': false}) %}
        {% elif wanted.type != type and not (is_kept and not wanted.is_own) %}
            {% set text = 'column ' ~ name ~ ' has another type: ' ~ type ~ ' in silver, expected ' ~ wanted.type %}
            {% do differences.append({'name': name, 'text': text, 'is_needed': wanted.is_needed}) %}
        {% endif %}
    {% endfor %}
    {% for name, wanted in expected.items() if name not in types and not (is_kept and not wanted.is_needed) %}
        {% set text = 'column ' ~ wanted.name ~ ' is missing from silver, expected ' ~ wanted.type %}
        {% do differences.append({'name': wanted.name, 'text': text, 'is_needed': wanted.is_needed}) %}
    {% endfor %}
    {% do return(differences) %}
{% endmacro %}


{# By name in lower case. No row is compared without its key and the columns of this project (is_own). #}
{% macro _expected_columns(cdc, columns) %}
    {% set expected, keys = {}, cdc.primary_key | map('lower') | list %}
    {% for column in cdc_bronze_columns(cdc, columns) %}
        {% set name = column.name | lower %}
        {% set is_needed = name in keys %}
        {% do expected.update({name: {
            'name': column.name, 'type': column.type | lower, 'is_needed': is_needed, 'is_own': false,
        }}) %}
    {% endfor %}
    {% set own = cdc_history_columns()[2:] + (['_cdc_source_file', '_cdc_file_row'] if cdc.mode == 'append' else []) %}
    {% set own_types = {} %}
    {% for column in columns if column.name in own %}
        {% do own_types.update({column.name: column.dtype | lower}) %}
    {% endfor %}
    {% do own_types.update({'_cdc_is_deleted': 'boolean'} if cdc_is_soft(cdc) else {}) %}
    {% if cdc.mode == 'history' %}
        {% do own_types.update({'_cdc_valid_from': 'timestamp', '_cdc_valid_to': 'timestamp'}) %}
    {% endif %}
    {% for name, type in own_types.items() %}
        {% do expected.update({name: {'name': name, 'type': type, 'is_needed': true, 'is_own': true}}) %}
    {% endfor %}
    {% do return(expected) %}
{% endmacro %}


{# Whether a snapshot of bronze is its newest, and has the columns that bronze has now. #}
{% macro _is_newest(bronze, snapshot_id) %}
    {% if adapter.current_snapshot_id(bronze) | string != snapshot_id | string %}
        {% do return(false) %}
    {% endif %}
    {% set schema_id = adapter.snapshots_since(bronze, snapshot_id | int).schema_id %}
    {% do return(adapter.snapshot(bronze, snapshot_id | int).schema_id == schema_id) %}
{% endmacro %}
