{{ cdc_replay_messages_sql(given_overtaken(), given_relation(), 12) }}
