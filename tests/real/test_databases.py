from __future__ import annotations

import os
import stat

import databases
import pytest
import sqlalchemy
from processes import ServerError


def settings(url: str, query: str) -> dict[str, str]:
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection:
        return {name: value for name, value in connection.exec_driver_sql(query)}


def test_mariadb_logs_whole_rows_and_transaction_ids(mariadb):
    wanted = {
        "log_bin": "ON",
        "binlog_format": "ROW",
        "binlog_row_image": "FULL",
        "binlog_row_metadata": "FULL",
        "gtid_strict_mode": "ON",
    }
    names = ", ".join(f"'{name}'" for name in wanted)
    assert settings(mariadb, f"show variables where variable_name in ({names})") == wanted


def test_postgres_logs_for_logical_decoding(postgres):
    query = "select name, setting from pg_settings where name in ('wal_level', 'TimeZone')"
    assert settings(postgres, query) == {"wal_level": "logical", "TimeZone": "UTC"}


@pytest.mark.parametrize("server", [databases.mariadb, databases.postgres])
def test_a_server_is_gone_with_its_block(server):
    with server() as url:
        assert settings(url, "select 'it', 'answers'") == {"it": "answers"}
    with pytest.raises(sqlalchemy.exc.OperationalError):
        settings(url, "select 'it', 'answers'")


def test_a_missing_program_is_one_line_with_what_to_install(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(ServerError) as error:
        databases.programs(["no-such-program"], ["no-such-package"])
    assert str(error.value) == "no-such-program not found; as root run: apt-get install no-such-package"


def test_a_failed_installation_reports_why(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(databases, "POLICY", tmp_path / "policy")
    apt = tmp_path / "apt-get"
    apt.write_text(f"#!/bin/sh\ntest -x {tmp_path}/policy && echo 'E: services stay down' >&2\nexit 100\n")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(ServerError) as error:
        databases.programs(["no-such-program"], ["no-such-package"])
    assert str(error.value).startswith("apt-get update failed (E: services stay down); no-such-program not found;")
    assert not (tmp_path / "policy").exists()


def test_a_policy_that_is_there_stays(monkeypatch, tmp_path):
    policy = tmp_path / "policy"
    policy.write_text("#!/bin/sh\nexit 0\n")
    mode = stat.S_IMODE(policy.stat().st_mode)
    monkeypatch.setattr(databases, "POLICY", policy)
    with databases._services_stay_down():
        pass
    assert policy.read_text() == "#!/bin/sh\nexit 0\n"
    assert stat.S_IMODE(policy.stat().st_mode) == mode


def test_a_server_that_does_not_start_reports_why(monkeypatch):
    monkeypatch.setattr(databases, "free_port", lambda: 99999999)
    message = r"postgres ended with status 1: .*99999999"
    with pytest.raises(ServerError, match=message), databases.postgres():
        pass
