{# Sample: "make models" removes this file once a table that it reads has gone from the seeds. #}
{{ config(key=['storeid', 'day'], spine='silver_sampledb__productorder') }}
select
    orders.storeid,
    orders.create_dt as day,
    store.city,
    count(*) as orders,
    sum(orders.qty) as pieces,
    sum(orders.qty * orders.soldprice) as amount
from {{ ref('silver_sampledb__productorder') }} as orders
left join {{ ref('silver_sampledb__store') }} as store on orders.storeid = store.id
group by orders.storeid, orders.create_dt, store.city
