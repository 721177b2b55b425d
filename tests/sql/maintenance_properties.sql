{{ cdc_set_properties_sql('silver.shop__order', {'properties': {'a.b': 'true', 'c': "it's"}}) }}
