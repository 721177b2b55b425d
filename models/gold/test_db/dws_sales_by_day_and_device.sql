{# Sample: "make models" removes this file once a table that it reads has gone from the seeds. #}
{{ config(key=['day', 'device_model'], spine='dwd_order_lines') }}
select
    cast(create_time as date) as day,
    device_model,
    count(*) as order_lines,
    count(distinct uid) as users,
    sum(onum) as pieces,
    sum(amount) as amount,
    avg(amount) as average_amount,
    min(amount) as smallest_amount,
    max(amount) as largest_amount
from {{ ref('dwd_order_lines') }}
group by cast(create_time as date), device_model
