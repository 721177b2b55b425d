{% macro cdc_now() %}
    {% do return(modules.datetime.datetime.now(modules.pytz.utc).strftime('%Y-%m-%d %H:%M:%S.%f')) %}
{% endmacro %}
