{# Guards against rows of which the key was changed at the source, without before images: the old row would stay. #}
{{ config(severity='warn') }}
-- depends_on: {{ ref('quarantine') }}
{{ cdc_unknown_updates_sql(cdc_keyed_tables() if execute and flags.WHICH in ['test', 'build'] else []) }}
