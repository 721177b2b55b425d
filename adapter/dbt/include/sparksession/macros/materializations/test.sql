{#
    A test whose SQL is blank, or whose tables have no rows (--empty), has nothing to ask, and passes without a
    statement.
#}
{% materialization test, adapter='sparksession' -%}
  {%- if not flags.EMPTY and modules.re.sub('--[^\n]*', '', sql) | trim -%}
    {{ return(materialization_test_default()) }}
  {%- endif -%}
  {%- set answer = adapter.table_of([{'failures': 0, 'should_warn': false, 'should_error': false}]) -%}
  {%- do store_raw_result('main', message='OK nothing to ask', code='OK', rows_affected=none, agate_table=answer) -%}
  {{ return({'relations': []}) }}
{%- endmaterialization %}
