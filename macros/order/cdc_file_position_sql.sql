{#
    What a file says of the order of its rows: the source position, as far as the file has it, its own hash, and the time of
    its content; and when this run came by it. The same for each row of a file, so it is made once per file, where it
    is no part of the code that Spark generates: as a literal in it, a time that differs from run to run has Spark compile
    the same code again in each.
#}
{% macro cdc_file_position_sql(objects_sql) -%}
select
    *,
    {{ cdc_dms_position_sql() | indent(4) }} as file_position,
    lpad(lower(hex(xxhash64(file_key))), 16, '0') as file_hash,
    lpad(unix_millis(modified_at), 14, '0') as modified_millis,
    timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}+00:00' as ingested_at
from (
    {{ objects_sql | indent(4) }}
) as objects
{%- endmacro %}
