{#
    An event counts if the row looks different after it. Versions follow each other without a gap, and a change that
    was committed before the one it follows begins where that one does: time never runs back.
#}
{% macro cdc_history_versions_sql(cdc, rows) -%}
{%- set of_key = 'partition by ' ~ cdc_key_list_sql(cdc) ~ ' order by ' ~ cdc_row_order_sql() -%}
imaged as (
    select
        *,
        if(_cdc_is_image, struct({{ rows.image | join(', ') }}), null) as _cdc_image
    from {{ 'images' if rows.carries_forward else 'events' }}
),

compared as (
    select
        *,
        lag(_cdc_image) over ({{ of_key }}) as _cdc_image_before
    from imaged
),

dated as (
    select
        *,
        max(_cdc_at) over ({{ of_key }}) as _cdc_valid_from
    from compared
    where _cdc_is_stored or {{ rows.is_version }}
),

ended as (
    select
        *,
        lead(_cdc_valid_from) over ({{ of_key }}) as _cdc_valid_to
    from dated
),

versions as (
    select *
    from ended
    where _cdc_is_image
)
{%- endmacro %}
