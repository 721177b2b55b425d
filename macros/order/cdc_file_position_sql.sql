{#
    What the listing records of the order of a file's rows (docs/feeds/order.md): the source position without the
    generation (load before changes, then the time in the file's name; files of one time have no order among
    themselves), the hash of the file, and the time of its content; and when this run read it. The same for each row of
    a file, so it is made once per file, where it is no part of the code that Spark generates: as a literal in it, a
    time that differs from run to run has Spark compile the same code again in each.
#}
{% macro cdc_file_position_sql(files_sql) -%}
select
    *,
    if(
        kind = 'load',
        concat('0.', repeat('0', 20)),
        concat_ws('.', '1', date_format(file_time, 'yyyyMMddHHmmssSSSSSS'))
    ) as file_position,
    lpad(lower(hex(xxhash64(file_key))), 16, '0') as file_hash,
    lpad(unix_millis(modified_at), 14, '0') as modified_millis,
    timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}+00:00' as ingested_at
from (
    {{ files_sql | indent(4) }}
) as files
{%- endmacro %}
