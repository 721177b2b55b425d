{%- set cdc = given_table() -%}
{%- do cdc.update({'renamed_columns': {'nr': 'id', 'cost': 'price'}}) -%}
{{ cdc_renamed_columns_sql(
    cdc,
    given_plan()[:2] + (given_column('price', 'double', 'double', old_columns=('cost',)),),
    cdc_bronze_range_sql('bronze.shop__order', none, 43, 7)
) }}
