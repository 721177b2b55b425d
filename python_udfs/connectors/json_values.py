"""Values of JSON, each with the kind that it has there: a text that looks like a number is a text.

Spark's variant holds them. Releases without it (3.5) have marked texts instead: each text and each number with a
fraction gets a mark before it is parsed, and an object is a map of the marked values. Both give one text of a value;
only the keys of an object inside of a value are sorted by variant and kept in their order by marks.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from spark_files.capabilities import HAS_VARIANT

# A value, and a map from key to value.
VALUE = "variant" if HAS_VARIANT else "string"
OBJECT = f"map<string,{VALUE}>"
# Characters that Unicode reserves for use inside programs: no text has them.
_TEXT, _NUMBER = "\ufdd0\ufdd2", "\ufdd0\ufdd1"
# Loops are possessive: Java's matcher would recurse once per character of a long text.
_REST = r'(?:[^"\\]++|\\.)*+"'
_A_TEXT = rf'\G((?:[^"]++|"{_REST}\s*+:)*+)"({_REST})'
_EXPONENT = r"[eE][+-]?+[0-9]++"
# The zeros at the end of a fraction are left out, so that each decimal has one notation.
_A_NUMBER = (
    rf'\G((?:[^"0-9-]++|"{_REST}|-?[0-9]++(?![.eE0-9]))*+)(-?(?:0|[1-9][0-9]*+))'
    rf"(?:(?:\.0++|(\.[0-9]*[1-9])0*+)(?![0-9])({_EXPONENT})?+|({_EXPONENT}))(?![0-9.eE+-])"
)
_MAYBE_A_NUMBER = r"[0-9][.eE]"
_MARKS = rf'"?{_NUMBER}([0-9.eE+-]++)"?|{_TEXT}'
_A_DOUBLE = rf"^(?:{_NUMBER}[^eE]++[eE]|(?:{_NUMBER})?+-?+(?:0\.)?+(?:[0-9]\.?+){{39}})"
_STRICT = {"allowSingleQuotes": "false", "allowNonNumericNumbers": "false"}


def parse(text: Column) -> Column:
    """What `only_object` takes: the values of a text, one behind the other with commas; NULL if it is no JSON."""
    # Between brackets, text behind the last value is an error.
    if HAS_VARIANT:
        return F.try_parse_json(F.concat(F.lit("["), text, F.lit("]")))
    marked = F.regexp_replace(text, _A_TEXT, f'$1"{_TEXT}$2')
    numbers = F.regexp_replace(marked, _A_NUMBER, f'$1"{_NUMBER}$2$3$4$5"')
    marked = F.when(text.rlike(_MAYBE_A_NUMBER), numbers).otherwise(marked)
    return F.from_json(F.concat(F.lit("["), marked, F.lit("]")), f"array<{OBJECT}>", _STRICT)


def only_object(parsed: Column) -> Column:
    """The object that a text is: OBJECT, NULL if it is something else or more than one.

    One with a key twice is none: nobody can tell which of the values counts.
    """
    if HAS_VARIANT:
        is_alone = F.try_variant_get(parsed, "$[1]", "variant").isNull()
        return F.when(is_alone, F.try_variant_get(parsed, "$[0]", OBJECT))
    return F.when(F.size(parsed) == 1, _with_keys_apart(F.get(parsed, F.lit(0))))


def object_of(value: Column) -> Column:
    """The object that a value is: OBJECT, NULL if it is none."""
    if HAS_VARIANT:
        return F.try_variant_get(value, "$", OBJECT)
    return _with_keys_apart(F.from_json(F.when(value.startswith("{"), value), OBJECT, _STRICT))


def member_of(value: Column, key: str, data_type: str) -> Column:
    """The value of a key in the object that a value is, as a type of Spark; NULL if it has another or is missing."""
    if HAS_VARIANT:
        return F.try_variant_get(value, f"$.{key}", data_type)
    return F.from_json(F.when(value.startswith("{"), text_of(value)), f"{key} {data_type}", _STRICT)[key]


def text_of(value: Column) -> Column:
    """The characters of a text, a number in Spark's notation, JSON of anything else; NULL for null."""
    if HAS_VARIANT:
        return value.cast("string")
    plain = F.regexp_replace(value, _MARKS, "$1")
    return F.when(value.rlike(_A_DOUBLE), plain.cast("double").cast("string")).otherwise(plain)


def kind_of(value: Column) -> Column:
    """The kind of a value, as variant names it: STRING, DOUBLE, BIGINT, BOOLEAN, or DECIMAL, OBJECT, ARRAY and more.

    A number with an exponent, or of more digits than a decimal has, is a double.
    """
    if HAS_VARIANT:
        return F.schema_of_variant(value)
    return (
        F.when(value.startswith(_TEXT), "STRING")
        .when(value.rlike(_A_DOUBLE), "DOUBLE")
        .when(value.startswith(_NUMBER), "DECIMAL")
        .when(value.startswith("{"), "OBJECT")
        .when(value.startswith("["), "ARRAY")
        .when(value.isin("true", "false"), "BOOLEAN")
        .when(value.isNotNull(), "BIGINT")
    )


def _with_keys_apart(value: Column) -> Column:
    keys = F.map_keys(value)
    return F.when(F.size(F.array_distinct(keys)) == F.size(keys), value)
