{#
    Facts about a part of bronze. Of the rows between two snapshots, or of all up to one, Iceberg's manifests hold them, where
    each commit records that its rows are plain changes and none is in quarantine. Else Spark reads the rows.
#}
{% macro cdc_bronze_range_summary(cdc, bronze, from_snapshot_id, to_snapshot_id, rows_sql, key=none, is_part=true) %}
    {#- Data tests ask what the silver model has asked. -#}
    {% set known = adapter.notes('ranges') %}
    {% if key or rows_sql not in known %}
        {% set names = ['_cdc_sequence', '_cdc_batch_id', '_cdc_committed_at', '_cdc_operation', '_cdc_source_file'] %}
        {% set names = names + ['_cdc_quarantine_rule'] + ([key] if key else []) %}
        {% set of_files = is_part and to_snapshot_id and not cdc.get('renamed_columns') %}
        {% set added = adapter.added_metrics(bronze, from_snapshot_id, to_snapshot_id, names) if of_files else none %}
        {% if added and _are_plain_changes(added, cdc.mode) %}
            {% do known.update({rows_sql: _summary_of_metrics(added, key)}) %}
        {% else %}
            {% do known.update({rows_sql: run_query(_bronze_range_summary_sql(rows_sql, key)).rows[0].dict()}) %}
        {% endif %}
    {% endif %}
    {% do return(known[rows_sql]) %}
{% endmacro %}


{# A table without a key takes inserts alone; how many rows are something else only they themselves show. #}
{% macro _are_plain_changes(added, mode) %}
    {% for summary in added.summaries if summary.get('cdc.plain-changes') != 'true' %}
        {% do return(false) %}
    {% endfor %}
    {% set operation, expected = added['_cdc_operation'], ['I', 'L'] + (['D', 'U'] if mode != 'append' else []) %}
    {% set has_quarantine = added['_cdc_quarantine_rule'].nulls != added.records %}
    {% do return(
        added.records > 0 and not has_quarantine and operation.lower in expected and operation.upper in expected
    ) %}
{% endmacro %}


{% macro _summary_of_metrics(added, key) %}
    {% set files = added['_cdc_source_file'] %}
    {% do return({
        'changes': added.records,
        'first_sequence': added['_cdc_sequence'].lower, 'last_sequence': added['_cdc_sequence'].upper,
        'last_batch_id': added['_cdc_batch_id'].upper | int,
        'last_committed_at': added['_cdc_committed_at'].upper,
        'updates_and_deletes': 0,
        'first_truncate': none, 'first_reset_point': none, 'last_reset_point': none,
        'has_deletes': added['_cdc_operation'].lower == 'D',
        'has_overwritten': false, 'has_partial': false, 'has_key_changes': false,
        'first_key': added[key].lower if key else none, 'last_key': added[key].upper if key else none,
        'first_file': files.lower, 'last_file': files.upper,
    }) %}
{% endmacro %}


{# No groups and no collections: they would make the aggregate a slower one. #}
{% macro _bronze_range_summary_sql(rows_sql, key=none) -%}
with changes as (
    {{ rows_sql | indent(4) }}
)

select
    count(*) as changes,
    min(_cdc_sequence) as first_sequence,
    max(_cdc_sequence) as last_sequence,
    max(_cdc_batch_id) as last_batch_id,
    date_format(max(_cdc_committed_at), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as last_committed_at,
    count_if(_cdc_operation in ('U', 'D')) as updates_and_deletes,
    min(_cdc_sequence) filter (where _cdc_operation in ('T', 'R')) as first_truncate,
    min({{ cdc_reset_point_sql() | indent(4) }}) as first_reset_point,
    max({{ cdc_reset_point_sql() | indent(4) }}) as last_reset_point,
    coalesce(bool_or(_cdc_operation = 'D'), false) as has_deletes,
    coalesce(bool_or(_cdc_operation = 'X'), false) as has_overwritten,
    coalesce(bool_or(_cdc_unavailable_columns is not null), false) as has_partial,
    coalesce(bool_or(_cdc_old_key is not null), false) as has_key_changes,
    {%- if key %}
    cast(min({{ adapter.quote(key) }}) as string) as first_key,
    cast(max({{ adapter.quote(key) }}) as string) as last_key,
    {%- endif %}
    min(_cdc_source_file) as first_file,
    max(_cdc_source_file) as last_file
from changes
{%- endmacro %}
