{#
    Guards against keys that stay, or would go, unseen: a reload of which a part could not be read is applied, and removes
    nothing until it could, or release_reload releases it. Asked of tables that have rows in quarantine.
#}
{% test every_reload_is_complete(model) %}
{{ cdc_blocks_nothing() }}
{%- set bronze = cdc_table_of('bronze', cdc_config_of(model)) if cdc_is_test() else model %}
{%- if not cdc_is_test() or bronze is not none and adapter.may_have_values(bronze, '_cdc_quarantine_rule') %}
{{ cdc_held_reloads_sql(bronze) }}
{%- endif %}
{% endtest %}
