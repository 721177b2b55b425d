{#
    What the snapshot of this run will record: how far silver is, and numbers of the run. Numbers that need a query on the
    data are computed only where the metadata or the listing shows that there is something to count.
#}
{% macro cdc_silver_progress(cdc, changes, plan) %}
    {% set progress = {
        'cdc.bronze-snapshot-id': changes.to_snapshot_id,
        'cdc.batch-id': changes.last_batch_id,
        'cdc.sequence': changes.last_sequence,
        'cdc.reset-point': changes.reset_point,
        'cdc.committed-at': changes.last_committed_at,
        'cdc.changes': changes.changes,
        'cdc.not-applied': changes.not_applied,
    } %}
    {% if changes.has_overwritten %}
        {% do progress.update({'cdc.overwritten': 'true'}) %}
    {% endif %}
    {% if changes.changes %}
        {% do progress.update({'cdc.ties': cdc_count_ties(cdc, changes, plan)}) %}
    {% endif %}
    {% if changes.changes and cdc.get('unchanged_rows') == 'skip' and cdc.mode == 'current' %}
        {% do progress.update({'cdc.keys': run_query(_count_keys_sql(cdc, changes)).rows[0]['keys']}) %}
    {% endif %}
    {% do return(progress) %}
{% endmacro %}


{% macro _count_keys_sql(cdc, changes) -%}
with new_changes as (
    {{ changes.sql | indent(4) }}
),

keys as (
    select distinct {{ cdc_key_list_sql(cdc) }}
    from new_changes
)

select count(*) as keys
from keys
{%- endmacro %}
