"""deploy/: the templates name what the profile names, and submit.py says what is missing."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import package
import platforms
import pytest
import yaml

from dbt.adapters.sparksession.credentials import resolve_coordinates
from spark_files.releases import RELEASES, refused_iceberg, spark_release

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROFILE = (ROOT / "profiles" / "profiles.yml").read_text().split("    cluster:\n      type")[1]
[PACKAGES] = re.findall(r"env_var\('SPARK_PACKAGES', '([^']+)'", PROFILE)
PACKAGES = resolve_coordinates(PACKAGES)
TEMPLATES = ("standalone.sh", "yarn.sh", "emr-serverless.json", "emr-step.json", "glue-job.json", "kubernetes.yaml")


IN_SQLITE = {"spark.sql.catalog.lakehouse.uri": "jdbc:sqlite:/data/catalog.db"}


def test_the_archive_names_the_packages_of_the_profile() -> None:
    assert package.placeholders(spark_release(), None)["<packages>"] == PACKAGES


@pytest.mark.skipif(spark_release() != max(RELEASES), reason="the template is of the newest release")
def test_the_template_of_kubernetes_names_the_jars_of_these_packages() -> None:
    expected = ["-".join(coordinates.split(":")[1:]) for coordinates in PACKAGES.split(",")]
    assert re.findall(r"/([\w.-]+)\.jar", (DEPLOY / "kubernetes.yaml").read_text()) == expected


@pytest.mark.parametrize("name", platforms.PLATFORMS)
def test_a_platform_has_a_release_that_the_project_runs_on(name: str) -> None:
    platform = platforms.platform_named(name)
    release = RELEASES[platform.release]
    assert platform.scala.startswith(f"{release.scala}.")
    assert refused_iceberg(f"{platform.iceberg}-amzn-0", {}) == ""
    assert platform.sources
    words = package.placeholders(platform.release, platform)
    assert words["<packages>"].startswith(
        f"org.apache.iceberg:iceberg-spark-runtime-{platform.release}_{release.scala}:{release.iceberg},"
    )
    written = " ".join((DEPLOY / file).read_text() for file in platform.files)
    assert ("<jars>" if name.startswith("glue") else "<packages>") in written
    assert ("<label>" if name.startswith("glue") else "<python>") in written


def test_an_unknown_platform_is_named_with_those_that_are_there() -> None:
    with pytest.raises(SystemExit, match=r"PLATFORM=glue-4\.0 is no platform.*expected one of glue-5\.1, emr-7\.12, "):
        platforms.platform_named("glue-4.0")


@pytest.mark.parametrize(
    ("version", "settings", "least"),
    [
        ("1.9.2", {}, "1.10"),
        ("1.7.1-amzn-2", {}, "1.10"),
        ("1.10.0", {}, None),
        ("1.10.1-amzn-0", {}, None),
        ("1.10.1", IN_SQLITE, "1.11"),
        ("1.11.0", IN_SQLITE, None),
        ("2.0.0", IN_SQLITE, None),
        ("unspecified", {}, None),
        ("", {}, None),
    ],
)
def test_an_iceberg_that_is_too_old_is_refused(version: str, settings: dict[str, str], least: str | None) -> None:
    sentence = refused_iceberg(version, settings)
    assert (f"Java has Iceberg {version}; expected {least} or newer for" in sentence) if least else sentence == ""


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_set_variables_that_the_profile_reads(name: str) -> None:
    text = (DEPLOY / name).read_text()
    named = set(re.findall(r"\b(LAKEHOUSE_\w+|AWS_REGION|DBT_ENV_SECRET_\w+)\b", text))
    assert named <= set(re.findall(r"env_var\('(\w+)'", PROFILE))
    assert {"LAKEHOUSE_CATALOG_TYPE", "LAKEHOUSE_WAREHOUSE", "LAKEHOUSE_RAW"} <= named


def test_templates_can_be_read() -> None:
    for path in DEPLOY.glob("*.json"):
        json.loads(path.read_text())
    yaml.safe_load((DEPLOY / "kubernetes.yaml").read_text())
    for path in DEPLOY.glob("*.sh"):
        subprocess.run(["sh", "-n", path], check=True)


class Archive:
    """An unpacked archive whose dbt prints what it gets."""

    def __init__(self, root: Path) -> None:
        self.here, self.folder = root, root / "lakehouse"
        dbt = self.folder / "packages" / "dbt" / "cli"
        dbt.mkdir(parents=True)
        (self.folder / "project").mkdir()
        (self.folder / "python").write_text("{}.{}".format(*sys.version_info))
        said = "lambda words: print(words, os.environ['LAKEHOUSE_TARGET'], os.environ['LAKEHOUSE_RAW'])"
        (dbt / "main.py").write_text(f"import os\ncli = {said}\n")
        (self.folder / "project" / "a_module.py").write_text("import sys\nprint('ran', sys.argv)\nsys.exit(3)\n")

    def submit(self, *words: str) -> subprocess.CompletedProcess[str]:
        # Without the packages of this environment: dbt is the archive's.
        command = [sys.executable, "-S", DEPLOY / "submit.py", *words]
        own = {name: value for name, value in os.environ.items() if name == "PATH"}
        return subprocess.run(command, cwd=self.here, env=own, capture_output=True, text=True, check=False)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)


def test_variables_come_before_a_command_of_dbt(archive: Archive) -> None:
    done = archive.submit("LAKEHOUSE_RAW=s3a://a=b", "build", "--select", "x=y")
    assert done.stdout == "['build', '--select', 'x=y'] cluster s3a://a=b\n", done.stderr


def test_a_module_of_the_project_ends_with_its_own_exit_code(archive: Archive) -> None:
    done = archive.submit("-m", "a_module", "--every", "5")
    assert done.returncode == 3
    assert re.fullmatch(r"ran \['.*a_module.py', '--every', '5'\]\n", done.stdout), done.stdout + done.stderr


def test_an_archive_that_is_not_there_or_of_another_python_is_named(archive: Archive) -> None:
    (archive.folder / "python").write_text("3.9")
    done = archive.submit("LAKEHOUSE_RAW=x", "build")
    assert done.returncode == 1
    assert "the archive was made for Python 3.9, and this is 3." in done.stderr
    archive.folder.rename(archive.here / "elsewhere")
    done = archive.submit("build")
    assert done.returncode == 1
    assert f"the archive is not unpacked at {archive.folder}" in done.stderr


def test_python_3_9_is_refused_by_a_sentence(archive: Archive) -> None:
    for name in ("submit.py", "glue.py"):
        ast.parse((DEPLOY / name).read_text(), feature_version=(3, 9))
    (archive.folder / "python").write_text("3.11")
    pretend = "import runpy, sys; sys.version_info = (3, 9, 16, 'final', 0); sys.argv = ['submit.py', 'build']"
    code = f"{pretend}; runpy.run_path({str(DEPLOY / 'submit.py')!r}, run_name='__main__')"
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, cwd=archive.here, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "the project needs Python 3.10 or newer, and this is 3.9" in done.stderr
    assert "made for 3.11: name that with PYSPARK_PYTHON" in done.stderr
