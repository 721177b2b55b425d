{#
    Guards the first promise: each raw file is ingested once, or has a reason. A file that still waits after a build was
    forgotten; a build of some feeds sets cdc_checked_feeds to their names.
#}
{% set feeds = var('cdc_checked_feeds') %}
-- depends_on: {{ ref('raw_processed_files') }}
select
    path,
    status,
    coalesce(reason, 'not in bronze yet') as reason
from (
    {{ cdc_files_sql(ref('raw_listing'), ref('rejected_files')) | indent(4) }}
)
where
    (status = 'rejected' or (status = 'waiting' and reason is null))
    {%- if feeds %}
    and feed in ('{{ feeds | join("', '") }}')
    {%- endif %}
