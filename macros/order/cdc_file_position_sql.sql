{#
    What a file says of the order of its rows: the place, as far as the file knows it, its own hash, and the time of
    its content; and when this run came by it. The same for each row of a file, so it is made once per file, where it
    is no part of the code that Spark generates: as a literal in it, a time that differs from run to run has Spark compile
    the same code again in each.
#}
{% macro cdc_file_position_sql(objects_sql) -%}
select
    *,
    {{ cdc_dms_position_sql() | indent(4) }} as place,
    lpad(lower(hex(xxhash64(object_key))), 16, '0') as object,
    lpad(unix_millis(modified_at), 14, '0') as version,
    timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}+00:00' as ingested_at
from (
    {{ objects_sql | indent(4) }}
) as objects
{%- endmacro %}
