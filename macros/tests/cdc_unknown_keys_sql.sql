{# The numbers of the steps in which a change updates a key that silver did not have, by hashes of keys. #}
{% macro cdc_unknown_keys_sql(keys_sql, one_task) -%}
select distinct number
from (
    select number, min(change) as first
    from (
        select {{ '/*+ coalesce(1) */ ' if one_task }}*
        from (
            {{ keys_sql | indent(12) }}
        )
    )
    group by number, key
    having count(change) = count(*)
)
where first.operation = 'U' and not first.has_old_key
{%- endmacro %}
