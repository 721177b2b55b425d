{{ cdc_silver_empty_sql(['cast(null as int) as `id`', 'false as _cdc_is_deleted'], 'bronze.shop__order') }}
