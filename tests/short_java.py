"""Options for a Java that lives for some minutes and works on a handful of rows."""

# Java compiles what runs often into faster code; tests end before that pays for itself. With one compiler it makes the
# room for code so small that a session of many tables fills it. More room for classes saves collections. Spark's jars
# are those of the package index: to verify each of their 30,000 classes again takes a sixth of a short run.
from __future__ import annotations

SHORT_JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC -XX:MetaspaceSize=256m"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
