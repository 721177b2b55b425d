{#
    Whether a file is ingested follows from bronze's own progress, so that a rollback of a bronze table makes its files
    wait again.
#}
{{ config(materialized='view', meta={'cdc': {'layer': 'view'}, 'runs_after_failures': true}) }}
{# The last batch of each source table, and of the multi-table files of each feed, which have no source table. #}
with progress as (
    {% for table in cdc_tables() %}
    {% set is_active = 'bronze' in table or 'split' in table %}
    {% set relation = ref(table.get('bronze') or table.split) if is_active %}
    select
        {{ cdc_table_columns_sql(table) | indent(8) }},
        {{ is_active | lower }} as is_active,
        {% if not is_active or (execute and load_relation(relation) is none) %}
        {# The first build has yet to come, or failed. #}
        0 as batch_id
        {% elif 'split' in table %}
        coalesce((select max(batch_id) from {{ relation }}), 0) as batch_id
        {% else %}
        coalesce(
            (
                select max(cast(snapshots.summary['cdc.batch-id'] as bigint))
                from {{ relation.render() }}.snapshots as snapshots
                inner join {{ relation.render() }}.history as history on snapshots.snapshot_id = history.snapshot_id
                where history.is_current_ancestor
            ),
            {# The snapshots with progress may have expired. #}
            (select max(_cdc_batch_id) from {{ relation }}),
            0
        ) as batch_id
        {% endif %}
    union all
    {% endfor %}
    {# Without any table the columns are there all the same. #}
    {{ cdc_empty_rows_sql('progress') | indent(4) }}
),

{{ cdc_file_status_sql(ref('raw_listing'), ref('rejected_files')) }}
