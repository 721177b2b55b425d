#!/bin/sh
# Makes sure that Spark will find a Java that it runs on: JAVA_HOME first, then PATH, as Spark itself looks.
# A missing or unsuitable Java on PATH is installed, headless, where a known package manager and the rights allow it;
# otherwise one line names what to do and the exit status is 1.
set -u

# Spark's classes need 17; Hadoop's call what Java 24 removed.
needed=17
too_new=24

# Runs the Java that Spark would start.
java_of_spark() {
    if [ -n "${JAVA_HOME:-}" ]; then "$JAVA_HOME/bin/java" "$@"; else java "$@"; fi
}

# Prints its major version, or nothing.
java_major() {
    # 'openjdk version "17.0.15" …', '"21-ea"'; Java 8 calls itself "1.8.0"
    java_of_spark -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9][0-9]*\).*/\2/p' | head -n 1
}

# Spark asks for a module that runtimes made for other programs leave out.
java_is_whole() {
    java_of_spark --add-modules=jdk.incubator.vector -version >/dev/null 2>&1
}

java_is_ready() {
    major=$(java_major)
    [ -n "$major" ] && [ "$major" -ge "$needed" ] && [ "$major" -lt "$too_new" ] || return 1
    java_is_whole || { major="$major without the module jdk.incubator.vector"; return 1; }
}

give_up() {
    echo "Java 17 or 21 is needed: $1" >&2
    exit 1
}

java_is_ready && exit 0

if [ -n "${JAVA_HOME:-}" ]; then
    give_up "JAVA_HOME is '$JAVA_HOME' with Java '${major:-none}'; point it to one of these, or unset it to use the java on PATH."
fi

# Installing needs root, or sudo that asks nothing; brew wants neither.
as_root=
rights=yes
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo -n"; else rights=no; fi
fi

found="found Java '${major:-none}' on PATH"
if command -v apt-get >/dev/null 2>&1; then
    hint="apt-get install openjdk-17-jre-headless (or openjdk-21-jre-headless)"
    [ "$rights" = yes ] || give_up "$found and no rights to install it; as root run: $hint"
    echo "Installing Java with apt-get ($found, 17 or 21 is needed) ..."
    $as_root apt-get update -qq
    for version in 17 21; do
        if $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "openjdk-$version-jre-headless" >/dev/null; then break; fi
    done
elif command -v dnf >/dev/null 2>&1; then
    hint="dnf install java-17-openjdk-headless (or java-21-openjdk-headless)"
    [ "$rights" = yes ] || give_up "$found and no rights to install it; as root run: $hint"
    echo "Installing Java with dnf ($found, 17 or 21 is needed) ..."
    $as_root dnf install -y -q java-17-openjdk-headless || $as_root dnf install -y -q java-21-openjdk-headless
elif command -v brew >/dev/null 2>&1; then
    # Homebrew keeps versioned Javas off PATH.
    hint="brew install openjdk@17, then export JAVA_HOME=\"\$(brew --prefix openjdk@17)/libexec/openjdk.jdk/Contents/Home\""
    echo "Installing Java with brew ($found, 17 or 21 is needed) ..."
    brew install --quiet openjdk@17
else
    give_up "$found; install one (a headless JRE is enough) or set JAVA_HOME."
fi

java_is_ready || give_up "still not found after the installation; run: $hint"
echo "Java $major is ready."
