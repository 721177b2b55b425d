{{ cdc_unknown_updates_sql({'cdc': given_table(), 'bronze': 'bronze.shop__order'}) }}
