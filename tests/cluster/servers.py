"""Parts of a cluster, from packages, on loopback: Spark standalone, S3 over a folder, catalogs.

Nothing here is AWS: S3 is versitygw, Glue is moto, the REST catalog is the one that Iceberg's own tests use.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pyspark
from pyarrow.fs import S3FileSystem

from spark_files.releases import spark_release
from tests.real.processes import ServerError, one_at_a_time, running

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cdc-lakehouse"
VERSITYGW = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
REGION = "us-east-1"
BUCKETS = ("landing", "lake", "logs")
# Planted: a test looks for them in all that a run leaves behind.
ACCESS_KEY, SECRET_KEY = "plantedaccesskey", "planted-secret-of-s3"
CATALOG_SECRET = "planted-secret-of-catalog"
AWS = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_REGION": REGION}
CATALOG_VARIABLE = "DBT_ENV_SECRET_CATALOG_CREDENTIAL"
# Configurations of jars.xml.
LIBRARIES, REST = f"spark{spark_release()}", f"rest{spark_release()}"
YARN_SERVER = "org.apache.hadoop.yarn.server"
LOG4J = """log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
"""
# Each lives for some minutes, beside the others, on two cores. With the first compiler alone Java keeps 48 MB of code,
# which a driver that builds all of the demo fills: Spark then stops in the middle of a query.
SMALL_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
# Workers run as nobody, who does not see the project's folder, where this process may choose that. What setpriv itself
# starts is still found in folders of root alone: env is between.
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env"] if os.geteuid() == 0 else []


# ------------------------------------------------------------------------------------------------------------- programs


def java() -> str:
    """The Java that Spark would start."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"


def jars(configuration: str) -> list[Path]:
    """The jars of a configuration of jars.xml, fetched by Ivy, which comes with Spark, and kept in the user's cache.

    Raises:
        ServerError: they cannot be fetched.
    """
    xml = HERE / "jars.xml"
    ready = CACHE / f"cluster-{configuration}-{hashlib.sha256(xml.read_bytes()).hexdigest()[:16]}"
    with one_at_a_time("cdc-lakehouse-jars"):
        if not (ready.exists() and all(Path(jar).exists() for jar in ready.read_text().split(os.pathsep))):
            CACHE.mkdir(parents=True, exist_ok=True)
            ivy = next((Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar"))
            with tempfile.TemporaryDirectory() as folder:
                written = Path(folder, "class-path")
                _done(
                    [java(), "-jar", str(ivy), "-warn", "-cache", str(CACHE / "ivy"), "-ivy", str(xml),
                     "-confs", configuration, "-cachepath", str(written)],
                    f"the jars of {xml.name} cannot be fetched",
                )  # fmt: skip
                ready.write_text(written.read_text().strip())
    return [Path(jar) for jar in ready.read_text().split(os.pathsep)]


GATEWAY = CACHE / f"versitygw-{VERSITYGW.rsplit('@', 1)[1]}" / "versitygw"


def object_store_is_there() -> bool:
    """Whether versitygw has been built."""
    return GATEWAY.exists()


def object_store_program() -> Path:
    """versitygw, built by Go and kept in the user's cache.

    Raises:
        ServerError: it cannot be built.
    """
    with one_at_a_time("cdc-lakehouse-versitygw"):
        if not object_store_is_there():
            _done(["go", "install", VERSITYGW], "versitygw cannot be built", GOBIN=str(GATEWAY.parent))
    return GATEWAY


def emulator_python() -> Path:
    """Python of an environment of its own with moto, and PyIceberg as another program would have it.

    Raises:
        ServerError: the environment cannot be made.
    """
    pinned = HERE / "requirements.txt"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = CACHE / f"moto-{version}-{hashlib.sha256(pinned.read_bytes()).hexdigest()[:16]}"
    python = folder / "bin" / "python"
    with one_at_a_time("cdc-lakehouse-moto"):
        if not (folder / ".ready").exists():
            _done([sys.executable, "-m", "venv", "--clear", str(folder)], "an environment for moto cannot be made")
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            _done([*pip, "--require-hashes", "-r", str(pinned)], "moto cannot be installed")
            (folder / ".ready").touch()
    return python


def _done(command: Sequence[str], what_failed: str, **environment: str) -> str:
    try:
        done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ServerError(f"{what_failed}: {command[0]} is not installed") from None
    if done.returncode:
        said = " | ".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise ServerError(f"{what_failed}: {said}")
    return done.stdout


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _not_answering(url: str) -> str | None:
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except urllib.error.HTTPError:
        return None  # it refuses, so it is there
    except OSError as error:
        return str(error)
    return None


def processes(main_class: str) -> list[psutil.Process]:
    """The processes of Java below this one that run a class and are alive."""
    matching = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended
            if main_class in process.cmdline():
                matching.append(process)
    return matching


def with_only(environment: Mapping[str, str], command: Sequence[str | Path]) -> list[str]:
    """A command in an environment of its own: nothing of this process reaches it by chance."""
    kept = {name: os.environ[name] for name in ("PATH", "JAVA_HOME", "LANG") if name in os.environ}
    return ["env", "-i", *(f"{name}={value}" for name, value in {**kept, **environment}.items()), *map(str, command)]


# -------------------------------------------------------------------------------------------------------------- servers


@dataclass
class ObjectStore:
    """S3 over a folder.

    Attributes:
        endpoint: its address.
        folder: holds a folder for each bucket.
    """

    endpoint: str
    folder: Path

    @property
    def files(self) -> S3FileSystem:
        """Reads and writes objects through S3."""
        return S3FileSystem(
            access_key=ACCESS_KEY, secret_key=SECRET_KEY, region=REGION, scheme="http",
            endpoint_override=self.endpoint.removeprefix("http://"), allow_bucket_creation=True,
        )  # fmt: skip


@contextmanager
def object_store(folder: Path) -> Iterator[ObjectStore]:
    """Versitygw until the end of the block, with the buckets of `BUCKETS`."""
    port, data = free_port(), folder / "s3"
    data.mkdir()
    store = ObjectStore(f"http://127.0.0.1:{port}", data)
    secrets = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
    command = [object_store_program(), "--quiet", "--port", f"127.0.0.1:{port}", "--region", REGION, "posix", data]
    with running(with_only(secrets, command), folder, folder / "versitygw.log", lambda: _not_answering(store.endpoint)):
        for bucket in BUCKETS:
            store.files.create_dir(bucket)
        yield store


@contextmanager
def rest_catalog(folder: Path, store: ObjectStore) -> Iterator[str]:
    """The catalog server of Iceberg's tests until the end of the block; yields its address. It knows views."""
    port = free_port()
    settings = {
        "CATALOG_REST_PORT": str(port),
        "CATALOG_URI": f"jdbc:sqlite:{folder / 'catalog.db'}?busy_timeout=60000",
        "CATALOG_WAREHOUSE": "s3://lake/rest",
        "CATALOG_IO__IMPL": "org.apache.iceberg.aws.s3.S3FileIO",
        "CATALOG_S3_ENDPOINT": store.endpoint,
        "CATALOG_S3_PATH__STYLE__ACCESS": "true",
        "CATALOG_CLIENT_REGION": REGION,
    }
    class_path = os.pathsep.join(map(str, jars(REST)))
    command = [java(), "-Xmx256m", *SMALL_JAVA.split(), "-cp", class_path, "org.apache.iceberg.rest.RESTCatalogServer"]
    uri = f"http://127.0.0.1:{port}"
    with running(
        with_only({**settings, **AWS}, command), folder, folder / "rest.log", lambda: _not_answering(f"{uri}/v1/config")
    ):
        yield uri


@contextmanager
def glue_catalog(folder: Path) -> Iterator[str]:
    """Moto's Glue until the end of the block; yields its address. Glue has no views."""
    port = free_port()
    uri = f"http://127.0.0.1:{port}"
    command = [emulator_python().parent / "moto_server", "-H", "127.0.0.1", "-p", str(port)]
    with running(with_only(AWS, command), folder, folder / "moto.log", lambda: _not_answering(f"{uri}/moto-api/")):
        yield uri


@dataclass
class SparkCluster:
    """Spark standalone: a master and workers of another user.

    Attributes:
        master: its address.
        jars: `SPARK_JARS` of the driver: libraries that each machine has.
        folder: holds the logs, and what executors leave.
    """

    master: str
    jars: str
    folder: Path

    def executors(self) -> list[psutil.Process]:
        """The processes of the executors that are alive."""
        return processes("org.apache.spark.executor.CoarseGrainedExecutorBackend")


@contextmanager
def spark_cluster(folder: Path, workers: int = 2) -> Iterator[SparkCluster]:
    """A master and workers with one core each until the end of the block."""
    image, work = folder / "image", folder / "work"
    _make_image(image)
    work.mkdir()
    work.chmod(0o777)
    port, ui = free_port(), free_port()
    environment = {
        "SPARK_HOME": str(image / "spark"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(work),
        "JAVA_TOOL_OPTIONS": SMALL_JAVA,
        "HOME": str(work),
        "PYSPARK_PYTHON": str(image_python(image)),
        "LD_LIBRARY_PATH": str(image / "python" / "lib"),
        **AWS,
    }
    spark_class = [*AS_NOBODY, image / "spark" / "bin" / "spark-class"]
    deploy = "org.apache.spark.deploy"
    address = f"spark://127.0.0.1:{port}"
    master = [*spark_class, f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port)]
    master += ["--webui-port", str(ui)]
    worker = [*spark_class, f"{deploy}.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1"]
    worker += ["--memory", "1g", "--work-dir", work, address]
    with ExitStack() as stack:
        log = folder / "master.log"
        ready = f"http://127.0.0.1:{ui}/json/"
        stack.enter_context(running(with_only(environment, master), work, log, lambda: _not_answering(ready)))
        for number in range(1, workers + 1):
            log = folder / f"worker{number}.log"

            def reason_to_wait(log: Path = log) -> str | None:
                return None if "Successfully registered with master" in log.read_text() else "it is not registered"

            stack.enter_context(running(with_only(environment, worker), work, log, reason_to_wait))
        names = ",".join(f"local:{image / 'jars' / jar.name}" for jar in jars(LIBRARIES))
        yield SparkCluster(address, names, folder)


@dataclass
class Yarn:
    """YARN: a resource manager and one node of another user.

    Attributes:
        configuration: `HADOOP_CONF_DIR` of whoever submits.
        logs: what containers printed.
    """

    configuration: Path
    logs: Path


@contextmanager
def yarn_cluster(folder: Path, image: Path) -> Iterator[Yarn]:
    """YARN until the end of the block; its node has what each machine of a cluster has.

    Args:
        folder: holds configuration and logs.
        image: Spark, its libraries and Python, as `spark_cluster` has made them.
    """
    work = folder / "yarn"
    yarn = Yarn(work / "conf", work / "logs")
    for made in (work, yarn.configuration, yarn.logs, work / "local"):
        made.mkdir()
        made.chmod(0o777)
    web, other = free_port(), [f"127.0.0.1:{free_port()}" for _ in range(7)]
    secrets = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", CATALOG_VARIABLE)
    settings = {
        "yarn.resourcemanager.webapp.address": f"127.0.0.1:{web}",
        "yarn.resourcemanager.address": other[0],
        "yarn.resourcemanager.scheduler.address": other[1],
        "yarn.resourcemanager.resource-tracker.address": other[2],
        "yarn.resourcemanager.admin.address": other[3],
        "yarn.nodemanager.address": other[4],
        "yarn.nodemanager.localizer.address": other[5],
        "yarn.nodemanager.webapp.address": other[6],
        "yarn.resourcemanager.scheduler.class": f"{YARN_SERVER}.resourcemanager.scheduler.fifo.FifoScheduler",
        "yarn.nodemanager.local-dirs": str(work / "local"),
        "yarn.nodemanager.log-dirs": str(yarn.logs),
        "yarn.nodemanager.resource.memory-mb": "5000",
        "yarn.nodemanager.resource.cpu-vcores": "4",
        "yarn.scheduler.minimum-allocation-mb": "128",
        "yarn.nodemanager.vmem-check-enabled": "false",
        "yarn.nodemanager.disk-health-checker.enable": "false",
        # It would copy the environment of each container into the logs.
        "yarn.nodemanager.log-container-debug-info.enabled": "false",
        # As on a machine with a role: containers find credentials there, and no command shows them.
        "yarn.nodemanager.env-whitelist": ",".join(("JAVA_HOME", "LD_LIBRARY_PATH", *secrets)),
    }
    properties = "".join(
        f"<property><name>{name}</name><value>{of}</value></property>" for name, of in settings.items()
    )
    (yarn.configuration / "yarn-site.xml").write_text(f"<configuration>{properties}</configuration>")
    (yarn.configuration / "core-site.xml").write_text("<configuration/>")
    (yarn.configuration / "log4j.properties").write_text(LOG4J)
    environment = {
        "HOME": str(work),
        "JAVA_HOME": str(Path(shutil.which(java()) or java()).resolve().parents[1]),
        "JAVA_TOOL_OPTIONS": SMALL_JAVA,
        "LD_LIBRARY_PATH": str(image / "python" / "lib"),
        CATALOG_VARIABLE: f"planted:{CATALOG_SECRET}",
        **AWS,
    }
    class_path = os.pathsep.join([str(yarn.configuration), *map(str, jars_for_all(image, "yarn"))])
    program = [*AS_NOBODY, java(), "-Xmx256m", "--add-opens=java.base/java.lang=ALL-UNNAMED", "-cp", class_path]
    with ExitStack() as stack:
        for name, java_class, has_begun in (
            ("resourcemanager", f"{YARN_SERVER}.resourcemanager.ResourceManager", "Transitioned to active state"),
            ("nodemanager", f"{YARN_SERVER}.nodemanager.NodeManager", "Registered with ResourceManager"),
        ):
            log = folder / f"{name}.log"

            def reason_to_wait(log: Path = log, has_begun: str = has_begun) -> str | None:
                return None if has_begun in log.read_text() else f"it has not said {has_begun!r}"

            stack.enter_context(running(with_only(environment, [*program, java_class]), work, log, reason_to_wait))
        yield yarn


def jars_for_all(image: Path, configuration: str) -> list[Path]:
    """The jars of a configuration, copied to where each user may read them."""
    folder = image / f"jars-{configuration}"
    folder.mkdir()
    return [Path(shutil.copy(jar, folder)) for jar in jars(configuration)]


def _make_image(image: Path) -> None:
    """Programs of each machine of a cluster: Spark, its libraries, Python. Nothing of the project."""
    _linked(Path(pyspark.__file__).parent, image / "spark")
    (image / "jars").mkdir()
    for jar in jars(LIBRARIES):
        shutil.copyfile(jar, image / "jars" / jar.name)


def image_python(image: Path) -> Path:
    """A Python of this version that the other user can run: this one, or a copy of it."""
    here = Path(sys.base_prefix)
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if not subprocess.run([*AS_NOBODY, here / "bin" / name, "-c", ""], capture_output=True, check=False).returncode:
        return here / "bin" / name
    if (image / "python").exists():
        return image / "python" / "bin" / name
    (image / "python" / "bin").mkdir(parents=True)
    shutil.copy(here / "bin" / name, image / "python" / "bin" / name)
    _linked(here / "lib" / name, image / "python" / "lib" / name, "site-packages", "test")
    for library in (here / "lib").glob("libpython*"):
        shutil.copy(library, image / "python" / "lib" / library.name)
    return image / "python" / "bin" / name


def _linked(source: Path, target: Path, *without: str) -> None:
    """A copy of a folder that takes no room where the file system has links."""

    def link(source: str, other: str) -> None:
        try:
            os.link(source, other)
        except OSError:
            shutil.copy(source, other)

    shutil.copytree(source, target, copy_function=link, ignore=shutil.ignore_patterns("__pycache__", *without))
