{# Guards the first promise: each raw file is ingested once, or has a reason. A file that still waits after a build was forgotten. #}
-- depends_on: {{ ref('raw_processed_files') }}
select
    path,
    status,
    coalesce(reason, 'not in bronze yet') as reason
from (
    {{ cdc_files_sql(ref('raw_listing'), ref('rejected_files')) | indent(4) }}
)
where status = 'rejected' or (status = 'waiting' and reason is null)
