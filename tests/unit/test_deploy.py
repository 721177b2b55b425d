"""deploy/: the templates name what the profile names, and submit.py says what is missing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dbt.adapters.sparksession.credentials import resolve_coordinates
from spark_files.releases import RELEASES, spark_release

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROFILE = (ROOT / "profiles" / "profiles.yml").read_text().split("    cluster:\n      type")[1]
[PACKAGES] = re.findall(r"env_var\('SPARK_PACKAGES', '([^']+)'", PROFILE)
PACKAGES = resolve_coordinates(PACKAGES)
TEMPLATES = ("standalone.sh", "yarn.sh", "emr-serverless.json", "glue-job.json", "kubernetes.yaml")


OF_NEWEST = pytest.mark.skipif(spark_release() != max(RELEASES), reason="the templates are of the newest release")


@OF_NEWEST
@pytest.mark.parametrize("name", ["spark.conf", "emr-serverless.json"])
def test_templates_name_the_packages_of_the_profile(name: str) -> None:
    assert re.findall(r"spark\.jars\.packages[= ]+(\S+)", (DEPLOY / name).read_text()) == [PACKAGES]


@OF_NEWEST
@pytest.mark.parametrize("name", ["glue-job.json", "kubernetes.yaml"])
def test_templates_name_the_jars_of_these_packages(name: str) -> None:
    expected = ["-".join(coordinates.split(":")[1:]) for coordinates in PACKAGES.split(",")]
    assert re.findall(r"/([\w.-]+)\.jar", (DEPLOY / name).read_text()) == expected


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
