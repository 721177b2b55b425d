"""java_class: classes by name."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JError

from spark_files.internals import java_class


def test_objects_are_made_and_static_methods_called(session):
    texts = java_class("java.util.ArrayList")()
    texts.add(java_class("java.lang.String").valueOf(True))
    assert list(texts) == ["true"]


def test_a_class_that_is_not_there_is_told_when_it_is_used(session):
    with pytest.raises(Py4JError, match=r"org\.apache\.iceberg\.Nothing\.load does not exist"):
        java_class("org.apache.iceberg.Nothing").load()
