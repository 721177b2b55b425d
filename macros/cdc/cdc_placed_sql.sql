{#
    What an object says of the order of its rows: the place, as far as the object knows it, its own hash, and the time of
    its content. The same for each row of an object, so it is made once per object.
#}
{% macro cdc_placed_sql(objects_sql) -%}
select
    *,
    {{ cdc_dms_place_sql() | indent(4) }} as place,
    lpad(lower(hex(xxhash64(object_key))), 16, '0') as object,
    lpad(unix_millis(modified_at), 14, '0') as version
from (
    {{ objects_sql | indent(4) }}
) as objects
{%- endmacro %}
