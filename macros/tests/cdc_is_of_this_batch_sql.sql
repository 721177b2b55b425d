{#
    Whether a row of run_metrics is of the batch that a data test is about: of this build, or, where `dbt test` runs
    alone, of the newest batch. A warning about a run of yesterday cannot be ended, and teaches to ignore it.
#}
{% macro cdc_is_of_this_batch_sql(run_metrics) -%}
{%- if flags.WHICH == 'build' -%}
committed_at >= timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}+00:00'
{%- else -%}
batch_id = (select max(newest.batch_id) from {{ run_metrics }} as newest)
{%- endif -%}
{%- endmacro %}
