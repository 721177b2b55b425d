{% macro cdc_text_table(names, rows) %}
    {% set lines = [names, none] %}
    {% set widths = dict(zip(range(names | length), names | map('length'))) %}
    {% for row in rows %}
        {% set cells = [] %}
        {% for cell in row %}
            {% do cells.append('' if cell is none else (cell | string).replace('\n', '⏎')) %}
        {% endfor %}
        {% do lines.append(cells) %}
        {% for cell in cells %}
            {% do widths.update({loop.index0: [widths[loop.index0], cell | length] | max}) %}
        {% endfor %}
    {% endfor %}
    {% set text = [] %}
    {% for cells in lines %}
        {% set padded = [] %}
        {% for width in widths.values() %}
            {% do padded.append('-' * width if cells is none else cells[loop.index0].ljust(width)) %}
        {% endfor %}
        {% do text.append((padded | join('  ')).rstrip()) %}
    {% endfor %}
    {% do return(text | join('\n')) %}
{% endmacro %}
