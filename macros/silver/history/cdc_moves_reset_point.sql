{#
    Whether the new changes move a reset point that is there already. A complete load generation ends versions at the
    first commit time of its load (of all its rows, where the load had none), so a late row of it may come with an earlier
    one. Of a generation before the one applied last it is not known here whether it was complete: then the answer is yes.
#}
{% macro cdc_moves_reset_point(bronze, changes) %}
    {% for start in run_query(_generation_starts_sql(changes.sql)) if start['generation'] <= changes.reset_point %}
        {% if start['generation'] < cdc_sequence_part(changes.applied_sequence, 'generation', false) %}
            {% do return(true) %}
        {% endif %}
        {% set log_sql = cdc_bronze_range_sql(bronze, none, changes.to_snapshot_id, 0, changes.has_overwritten) %}
        {% if not run_query(_earlier_start_sql(log_sql, start)) | length %}
            {% do return(true) %}
        {% endif %}
    {% endfor %}
    {% do return(false) %}
{% endmacro %}


{# Times as text, as Jinja hands them on. Generations from the second on: nothing is there that the first could end. #}
{% macro _generation_starts_sql(changes_sql) -%}
with changes as (
    {{ changes_sql | indent(4) }}
)

select
    {{ cdc_sequence_part('min(_cdc_sequence)', 'generation') }} as generation,
    date_format(min(_cdc_committed_at), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as committed_at,
    date_format(
        min(_cdc_committed_at) filter (where _cdc_operation = 'L'), 'yyyy-MM-dd HH:mm:ss.SSSSSS'
    ) as loaded_at
from changes
where _cdc_sequence >= '000002' and _cdc_operation <> 'R'
group by _cdc_generation
{%- endmacro %}


{# The bounds on the sequence let Iceberg skip the files of other generations and, for a load, those of its changes. #}
{% macro _earlier_start_sql(log_sql, start) -%}
with log as (
    {{ log_sql | indent(4) }}
)

select _cdc_sequence
from log
where
    _cdc_sequence >= '{{ start.generation }}'
    {%- if start.loaded_at %}
    and _cdc_sequence < '{{ start.generation }}.1'
    and _cdc_committed_at < timestamp '{{ start.loaded_at }}'
    {%- else %}
    and _cdc_generation = {{ start.generation | int }}
    and (_cdc_sequence < '{{ start.generation }}.1' or _cdc_committed_at < timestamp '{{ start.committed_at }}')
    {%- endif %}
limit 1
{%- endmacro %}
