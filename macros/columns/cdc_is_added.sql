{#
    The change sequence and before images stand behind the columns of the source (docs/contracts.md section 1.3). The
    prefix counts as the metadata writes it: with BI_, bi_score is a column of the source.
#}
{% macro cdc_is_added(cdc, name, names=[]) %}
    {% set prefix = cdc.options.get('before_image_prefix') %}
    {% set sequence = cdc.options.get('change_sequence_column') or '' %}
    {% set is_sequence = name == sequence or sequence not in names and name | lower == sequence | lower %}
    {% do return(is_sequence or prefix is not none and name.startswith(prefix)) %}
{% endmacro %}
