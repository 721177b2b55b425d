{# Sample: "make models" removes this file once a table that it reads has gone from the seeds. #}
{{ config(key=['device_model'], spine='silver_test_db__user') }}
select
    device_model,
    count(*) as num
from {{ ref('silver_test_db__user') }}
group by device_model
