{# Below this a file is small. Iceberg wants it below the size it writes, which a table may have set itself. #}
{% macro cdc_small_bytes(node, settings) %}
    {% set target = (node.config.get('tblproperties') or {}).get('write.target-file-size-bytes', 536870912) | int %}
    {% do return([settings.small_file_mb * 1048576, target * 3 // 4] | min) %}
{% endmacro %}
