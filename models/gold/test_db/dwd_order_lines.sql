{# Sample: "make models" removes this file once a table that it reads has gone from the seeds. #}
{{ config(key=['id'], spine='silver_test_db__user_order') }}
select
    user_order.id,
    user_order.oid,
    user_order.uid,
    users.name as user_name,
    users.device_model,
    user_order.pid,
    product.pname,
    product.pprice,
    user_order.onum,
    user_order.onum * product.pprice as amount,
    user_order.create_time
from {{ ref('silver_test_db__user_order') }} as user_order
left join {{ ref('silver_test_db__user') }} as users on user_order.uid = users.id
left join {{ ref('silver_test_db__product') }} as product on user_order.pid = product.pid
