"""Values of JSON, each with the kind that it has there: a text that looks like a number is a text.

Spark's variant holds them. Releases without it (3.5) have marked texts instead: each text and each number with a
fraction gets a mark before it is parsed, and an object is a map of the marked values. Both give one text of a value:
keys are sorted, a number has one notation.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors import message_reading as M
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
# A zero has no sign.
_MARKS = rf'"?{_NUMBER}(?:-(?=0(?![0-9.eE])))?+([0-9.eE+-]++)"?|{_TEXT}|^-(?=0$)'
_A_DOUBLE = rf"^(?:{_NUMBER}[^eE]++[eE]|(?:{_NUMBER})?+-?+(?:0\.)?+(?:[0-9]\.?+){{39}})"
# A bracket alone is a piece of such a value that is written already.
_IS_NESTED = r"^[\[{]."
_STRICT = {"allowSingleQuotes": "false", "allowNonNumericNumbers": "false"}


def parse(text: Column) -> Column:
    """What `read_only_object` takes: the values of a text, one behind the other with commas; NULL if it is no JSON."""
    # Between brackets, text behind the last value is an error.
    if HAS_VARIANT:
        return F.try_parse_json(F.concat(F.lit("["), text, F.lit("]")))
    marked = F.regexp_replace(text, _A_TEXT, f'$1"{_TEXT}$2')
    numbers = F.regexp_replace(marked, _A_NUMBER, f'$1"{_NUMBER}$2$3$4$5"')
    marked = F.when(text.rlike(_MAYBE_A_NUMBER), numbers).otherwise(marked)
    return F.from_json(F.concat(F.lit("["), marked, F.lit("]")), f"array<{OBJECT}>", _STRICT)


def read_only_object(parsed: Column) -> Column:
    """The object that a text is: OBJECT, NULL if it is something else or more than one.

    One with a key twice is none: nobody can tell which of the values counts.
    """
    if HAS_VARIANT:
        is_alone = F.try_variant_get(parsed, "$[1]", "variant").isNull()
        return F.when(is_alone, F.try_variant_get(parsed, "$[0]", OBJECT))
    return _once(F.when(F.size(parsed) == 1, _with_keys_apart(F.get(parsed, F.lit(0)))))


def read_object(value: Column) -> Column:
    """The object that a value is: OBJECT, NULL if it is none."""
    if HAS_VARIANT:
        return F.try_variant_get(value, "$", OBJECT)
    return _with_keys_apart(F.from_json(F.when(value.startswith("{"), value), OBJECT, _STRICT))


def read_member(value: Column, key: str, data_type: str) -> Column:
    """The value of a key in the object that a value is, as a type of Spark; NULL if it has another or is missing."""
    if HAS_VARIANT:
        return F.try_variant_get(value, f"$.{key}", data_type)
    return F.from_json(F.when(value.startswith("{"), text_of(value)), f"{key} {data_type}", _STRICT)[key]


def text_of(value: Column) -> Column:
    """The characters of a text, a number in Spark's notation, JSON of anything else; NULL for null.

    The JSON has sorted keys after `sort_keys`.
    """
    if HAS_VARIANT:
        return value.cast("string")
    plain = F.regexp_replace(value, _MARKS, "$1")
    return F.when(value.rlike(_A_DOUBLE), plain.cast("double").cast("string")).otherwise(plain)


def sort_keys(frame: DataFrame, *objects: str) -> DataFrame:
    """Gives objects and lists that are values the notation that variant has for them; with variant nothing is to do.

    Args:
        frame: has the objects, each of them OBJECT.
        objects: names of its columns.
    """
    return (
        frame if HAS_VARIANT else frame.withColumns({name: _once(_with_sorted_keys(F.col(name))) for name in objects})
    )


def read_kind(value: Column) -> Column:
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


def _with_sorted_keys(value: Column) -> Column:
    return F.transform_values(
        value, lambda _, member: F.when(member.rlike(_IS_NESTED), _nested_text(member)).otherwise(member)
    )


def _nested_text(value: Column) -> Column:
    """JSON of an object or a list: each step opens one more level of all that is in it."""
    pieces = F.aggregate(
        F.sequence(F.lit(1), M.count_levels(value)),
        F.array(value),
        lambda pieces, _: F.flatten(F.transform(pieces, _open_piece)),
    )
    return F.array_join(pieces, "")


def _open_piece(piece: Column) -> Column:
    """The pieces of an object or a list, one level of it opened; any other piece as it is."""
    members = F.map_entries(F.from_json(piece, OBJECT, _STRICT))
    # Variant sorts keys as Java compares texts: by the units of UTF-16.
    ranked = F.transform(
        members,
        lambda member: F.struct(F.encode(member["key"], "UTF-16BE").alias("rank"), member["key"], member["value"]),
    )
    named = F.transform(
        F.array_sort(ranked),
        lambda member, at: F.array(_comma(at), _quoted(member["key"]), F.lit(":"), _piece_of(member["value"])),
    )
    listed = F.transform(
        F.from_json(piece, f"array<{VALUE}>", _STRICT), lambda value, at: F.array(_comma(at), _piece_of(value))
    )
    return (
        F.when(piece.rlike(_IS_NESTED) & piece.startswith("{"), _within("{", named, "}"))
        .when(piece.rlike(_IS_NESTED), _within("[", listed, "]"))
        .otherwise(F.array(piece))
    )


def _within(first: str, pieces: Column, last: str) -> Column:
    return F.concat(F.array(F.lit(first)), F.flatten(pieces), F.array(F.lit(last)))


def _comma(at: Column) -> Column:
    return F.when(at == 0, "").otherwise(",")


def _piece_of(value: Column) -> Column:
    """JSON of a value; an object and a list as they are, for the next step."""
    text = text_of(value)
    is_text = value.startswith(_TEXT) | text.isin("Infinity", "-Infinity")
    return (
        F.when(value.isNull(), "null").when(value.rlike(_IS_NESTED), value).when(is_text, _quoted(text)).otherwise(text)
    )


def _quoted(text: Column) -> Column:
    json = F.to_json(F.array(text))
    return json.substr(F.lit(2), F.length(json) - 2)


def _once(value: Column) -> Column:
    """The value, of an expression that the planner does not copy to each filter and each use of its column.

    It copies none that may have another result each time. For the planner, this is one: of the condition it knows only
    that it is random (`>= 0` it would know to be true). Copies of a parsed message, ten thousand of them, took minutes
    to plan.
    """
    return F.when(F.rand(0) != -1, value)


def _with_keys_apart(value: Column) -> Column:
    keys = F.map_keys(value)
    return F.when(F.size(F.array_distinct(keys)) == F.size(keys), value)
