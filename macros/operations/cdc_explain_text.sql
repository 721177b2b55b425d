{% macro cdc_explain_text(cdc, silver, key, changes, rows, applied_batch_id) %}
    {% set verdicts = cdc_explain_verdicts(cdc, changes, applied_batch_id, rows) %}
    {% set life = [] %}
    {% for change in changes %}
        {% set values = [] %}
        {% for name, value in (change.image or {}).items() if name not in cdc.primary_key %}
            {% if name in (change.unavailable or []) %}
                {% do values.append(name ~ ' unavailable') %}
            {% else %}
                {% do values.append(name ~ '=' ~ ('NULL' if value is none else value)) %}
            {% endif %}
        {% endfor %}
        {% set file = change.source_file.split('/')[-1] if change.source_file else '' %}
        {% do life.append([
            loop.index, change.operation, change.committed_at, file, change.file_row, change.batch_id,
            change.sequence[:-45] or change.sequence, verdicts[loop.index0], values | join(', ') | truncate(80, true, '…', 0),
        ]) %}
    {% endfor %}
    {% set names = rows[0].image.keys() | list if rows else [] %}
    {% set now = [] %}
    {% for row in rows %}
        {% do now.append(row.image.values() | list) %}
    {% endfor %}
    {% do return(
        cdc.source_schema ~ '.' ~ cdc.source_table ~ ', ' ~ cdc_key_text(key) ~ ' (mode ' ~ cdc.mode
        ~ (', ' ~ cdc.delete_mode ~ ' deletes' if cdc.mode == 'current' else '') ~ ')\n\n'
        ~ cdc_text_table(
            ['#', 'operation', 'committed at', 'file', 'row', 'batch', 'place in the order', 'what became of it', 'values'],
            life
        )
        ~ '\n\n' ~ silver ~ ' now:\n\n' ~ (cdc_text_table(names, now) if rows else 'no row') ~ '\n'
    ) %}
{% endmacro %}
