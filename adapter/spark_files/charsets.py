"""Lines of text files in another encoding than UTF-8."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

UTF8 = "UTF-8"
_JAVA_CHARSETS = {"spark.sql.legacy.javaCharsets": "true", "spark.sql.legacy.codingErrorAction": "true"}
_NO_CHARACTER, _BYTE_ORDER_MARK = "\ufffd", "\ufeff"


def decode_text(frame: DataFrame, charset: str) -> DataFrame:
    """Lines as text; one that has bytes which are no character begins with a byte that no UTF-8 has.

    Args:
        frame: `value` (string), the bytes of a line as they are in the file.
        charset: Java's name of the encoding.
    """
    conf = frame.sparkSession.conf
    before = {name: conf.get(name, None) for name in _JAVA_CHARSETS}
    # Spark knows a few encodings, and one wrong byte fails the query, unless a function is made under these settings.
    for name, value in _JAVA_CHARSETS.items():
        conf.set(name, value)
    try:
        stored = F.col("value").cast("binary")
        text = F.decode(stored, charset)
        # Some encodings have the character that stands for none: there the bytes come back.
        is_text = ~F.contains(text, F.lit(_NO_CHARACTER)) | (F.encode(text, charset) == stored)
        marked = F.concat(F.expr("cast(x'ff' as string)"), text)
        return frame.withColumn("value", F.when(is_text, text).otherwise(marked))
    finally:
        for name, earlier in before.items():
            if earlier is None:
                conf.unset(name)
            else:
                conf.set(name, earlier)


def remove_mark(lines: DataFrame) -> DataFrame:
    """Lines without the mark that a file of UTF-16 may begin with. That of UTF-8 Spark leaves out.

    Args:
        lines: `value` (string) and `_file_row` (bigint), its number in the file.
    """
    is_first = F.col("_file_row") == 0
    unmarked = F.regexp_replace("value", f"^{_BYTE_ORDER_MARK}", "")
    return lines.withColumn("value", F.when(is_first, unmarked).otherwise(F.col("value")))
