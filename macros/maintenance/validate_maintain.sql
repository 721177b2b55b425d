{# All that is wrong with the arguments of maintain, at once. #}
{% macro validate_maintain(settings, names, layer, dry_run) %}
    {% set least = {'keep_snapshots': 1, 'orphan_days': 1, 'min_files': 2, 'small_file_mb': 1, 'min_manifests': 2} %}
    {% set problems = [] %}
    {% for name, value in settings.items() %}
        {% set is_ratio = name == 'delete_ratio' %}
        {% if value is not number or value is boolean or not (is_ratio or value is integer) %}
            {% do problems.append(name ~ ' is ' ~ value ~ '; expected a ' ~ ('number' if is_ratio else 'whole number')) %}
        {% elif is_ratio and not 0 < value <= 1 %}
            {% do problems.append(name ~ ' is ' ~ value ~ '; expected a part of the rows, above 0 and up to 1') %}
        {% elif value < least.get(name, 0) %}
            {% do problems.append(name ~ ' is ' ~ value ~ '; expected ' ~ least.get(name, 0) ~ ' or more') %}
        {% endif %}
    {% endfor %}
    {% if layer not in [none, 'etl_metadata', 'bronze', 'silver'] %}
        {% do problems.append('layer is ' ~ layer ~ '; expected etl_metadata, bronze or silver, or none for all') %}
    {% endif %}
    {% if dry_run is not boolean %}
        {% do problems.append('dry_run is ' ~ dry_run ~ '; expected true or false') %}
    {% endif %}
    {% set known = [] %}
    {% for node in cdc_maintained_nodes(none, none) %}
        {% do known.extend([node.alias, node.relation]) %}
    {% endfor %}
    {% for name in names or [] if name not in known %}
        {% do problems.append(
            "there is no table '" ~ name ~ "'; expected one of " ~ (known | unique | sort | join(', ') or 'none: no row of seeds/cdc_tables.csv is active')
        ) %}
    {% endfor %}
    {% if problems %}
        {% do exceptions.raise_compiler_error('CDC error (maintain):\n  - ' ~ problems | join('\n  - ')) %}
    {% endif %}
{% endmacro %}
