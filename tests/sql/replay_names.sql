{{ cdc_replay_names_sql(given_overtaken(), given_relation()) }}
