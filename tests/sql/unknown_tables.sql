{{ cdc_unknown_tables_sql({
    'relation': 'etl_metadata.split_a', 'feed': 'a', 'has_set_aside': false,
    'known': ["(source_schema = 's' and source_table = 't')"],
}) }}
union all
{{ cdc_unknown_tables_sql({'relation': 'etl_metadata.split_b', 'feed': 'b', 'has_set_aside': true, 'known': []}) }}
