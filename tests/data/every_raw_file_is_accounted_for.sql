{# Guards the first promise: each raw file is ingested once, or has a reason. A file that still waits after a build was forgotten. #}
select
    path,
    status,
    coalesce(reason, 'not in bronze yet') as reason
from {{ ref('raw_processed_files') }}
where status = 'rejected' or (status = 'waiting' and reason is null)
