{#
    The condition of a join with `changes`: a change that was read came between two file versions. A load and a change
    of one time: the load comes first.
#}
{% macro cdc_between_sql(version, other) -%}
on
    changes.is_read
    and changes.came_at >= least({{ version }}.modified_at, {{ other }}.modified_at)
    and changes.came_at < greatest({{ version }}.modified_at, {{ other }}.modified_at)
{%- endmacro %}
