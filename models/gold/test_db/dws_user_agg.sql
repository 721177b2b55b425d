{{ config(key=['device_model'], spine='silver_test_db__user') }}
select
    device_model,
    count(*) as num
from {{ ref('silver_test_db__user') }}
group by device_model
