{{ _key_counts_sql(given_table(), '`shop__order__news`') }}
