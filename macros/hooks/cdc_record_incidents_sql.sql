{% macro cdc_record_incidents_sql(incidents) -%}
{%- set times = ['opened_at', 'looked_at', 'ended_at', 'opening_sent_at', 'end_sent_at'] -%}
merge into {{ incidents }} as recorded
using (
    select
        kind,
        subject,
        silver_table,
        message,
        command,
        {%- for name in times %}
        cast({{ name }} as timestamp) as {{ name }}{{ ',' if not loop.last }}
        {%- endfor %}
    from incidents_new
) as new
on
    recorded.kind = new.kind
    and recorded.subject = new.subject
    and recorded.opened_at = new.opened_at
when matched then update set *
when not matched then insert *
{%- endmacro %}
