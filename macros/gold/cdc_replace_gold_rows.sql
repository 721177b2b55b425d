{#
    Removes the rows of the affected keys and adds the new ones on a branch, which then becomes the table in one commit: readers
    see both or neither. Only the last commit carries the progress, so that no state without the new rows claims it.
#}
{% macro cdc_replace_gold_rows(plan, gold) %}
    {#- A name of this run's own: two runs never write on one branch. -#}
    {% set name = 'cdc_gold_' ~ invocation_id | replace('-', '') %}
    {% set branch = gold ~ '.branch_' ~ name %}
    {% set done = namespace(published=false) %}
    {% for attempt in range(3) if not done.published %}
        {% do adapter.start_branch(gold, name) %}
        {% if plan.keys %}
            {% do adapter.set_snapshot_properties(dict.fromkeys(plan.progress)) %}
            {% do adapter.set_snapshot_properties({'cdc.gold-part': invocation_id}) %}
            {% do run_query(_gold_delete_keys_sql(plan, branch)) %}
            {% do adapter.set_snapshot_properties({'cdc.gold-part': none}) %}
            {% do adapter.set_snapshot_properties(plan.progress) %}
        {% endif %}
        {% do run_query('insert into ' ~ branch ~ ' by name\n' ~ _gold_new_rows_sql(plan, gold)) %}
        {% set done.published = adapter.publish_branch(gold, name) %}
    {% endfor %}
    {% if not done.published %}
        {% do exceptions.raise_compiler_error(
            gold ~ ': another writer committed to this table three times while this run was writing to it.'
            ~ ' Nothing was changed, nothing is lost; run it again.'
        ) %}
    {% endif %}
{% endmacro %}


{% macro _gold_delete_keys_sql(plan, branch) -%}
delete from {{ branch }} as _cdc_gold
where
    exists (
        select /*+ broadcast(_cdc_key) */ 1
        from {{ adapter.quote(plan.keys_view) }} as _cdc_key
        where {{ cdc_gold_same_sql('_cdc_key', plan.model.settings.key, '_cdc_gold', plan.model.settings.key) }}
    )
{%- endmacro %}


{# No key was affected: the commit has no rows, and records how far the table is. #}
{% macro _gold_new_rows_sql(plan, gold) -%}
{%- if plan.keys -%}
{{ cdc_gold_rows_sql(plan.model, plan.movements, plan.query_sql, plan.keys_view) }}
{%- else -%}
select * from {{ gold }} where false
{%- endif -%}
{%- endmacro %}
