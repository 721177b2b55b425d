"""Names of columns that break a statement which has them as they are, or cuts, indents or replaces them."""

from __future__ import annotations

HOSTILE_NAMES = (
    *("a\nb", "a\r\nb", "tab\tb", "a\u2028b", "a\x85b", "back`tick", "`", "dot.ted", "it's", 'say "x"', " before"),
    *("after ", "ä€𝄞", "zero\u200bwidth", "semi;colon", "a -- b", "/* a */", "{{ a }}", "{% a %}", "{# a #}", "%s"),
    *("${env:HOME}", "back\\slash", "a\\nb", "100%", "a,b", "[0]", "select", "*", "a=b", "(", "\ue000000a\ue000"),
)
