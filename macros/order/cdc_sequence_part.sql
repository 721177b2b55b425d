{#
    The layout of _cdc_sequence, which cdc_sequence_sql builds: where each part begins and ends. Only the source position
    has no fixed width.

        generation.position.file.row.modified_millis
        000001.1.20240131230100000000.9f86d081884c7d65.000000000002.01706742060000
        000001.1.<three numbers and a digit>.o000000000000042.1fc39ce004a7.01706742060000
#}
{% macro cdc_sequence_part(sequence, part, is_sql=true) %}
    {% set begin, end = {
        'generation': (0, 6),
        'source_position': (0, -45),
        'listed_position': (7, -45),
        'through_file': (0, -28),
        'through_row': (0, -15),
        'file': (-44, -28),
        'partition': (-27, -21),
        'modified_millis': (-14, 0),
    }[part] %}
    {% if not is_sql %}
        {% do return(sequence[begin:end or none]) %}
    {% endif %}
    {% set width = 'length(' ~ sequence ~ ') - ' ~ (begin - end) if begin >= 0 and end < 0 else end - begin %}
    {% do return('substring(' ~ sequence ~ ', ' ~ (begin + 1 if begin >= 0 else begin) ~ ', ' ~ width ~ ')') %}
{% endmacro %}
