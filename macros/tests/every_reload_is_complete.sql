{#
    Guards against keys that stay, or would go, unseen: a reload of which a part could not be read is applied, and
    removes nothing until it could, or release_reload releases it. Asked of tables that have rows in quarantine.
#}
{% test every_reload_is_complete(model) %}
{{ cdc_blocks_nothing() }}
{%- set bronze = cdc_data_tests().find_quarantined(model) if cdc_is_test() else model %}
{{ cdc_held_reloads_sql(bronze) if bronze is not none }}
{% endtest %}
