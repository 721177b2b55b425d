{{ cdc_gold_query_sql(given_movements(), given_gold().write_query(given_gold_query())) }}
