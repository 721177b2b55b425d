{{ cdc_set_properties_sql('silver.shop__order', {'a.b': 'true', 'c': "it's"}) }}
