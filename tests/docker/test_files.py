"""What the images are made from: the locks, the Dockerfile, compose and what is sent to the builder."""

import json
import re
from pathlib import Path

import check_image
import lock
import pytest
from numpy.testing import assert_equal

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
SETTINGS = lock.project()
DOCKERFILE = (DOCKER / "Dockerfile").read_text("utf-8")
INSTRUCTIONS = [line for line in re.sub(r"\\\n", " ", DOCKERFILE).splitlines() if line and not line.startswith("#")]
STAGES = re.findall(r"(?m)^FROM \S+ AS ([\w-]+)$", DOCKERFILE)


def pins(name):
    """Return the packages of a lock with their versions."""
    text = lock.path_of(name).read_text("utf-8")
    return dict(re.findall(r"(?m)^([\w.-]+)==(\S+) \\$", text))


class TestLocks:
    def test_are_current(self):
        assert not lock.stale(SETTINGS), "run docker/lock.py"

    @pytest.mark.parametrize("name", lock.EXTRAS)
    def test_every_package_has_a_version_and_digests(self, name):
        text = lock.path_of(name).read_text("utf-8")
        body = [line for line in text.splitlines() if not line.startswith("#")]
        of_package = [line for line in body if not line.startswith("    ")]
        assert all(re.fullmatch(r"[\w.-]+==\S+ \\", line) for line in of_package)
        of_digest = [line for line in body if line.startswith("    ")]
        assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line) for line in of_digest)
        assert len(of_digest) >= len(of_package) >= 30

    @pytest.mark.parametrize("name", lock.EXTRAS)
    def test_no_registry_is_named(self, name):
        assert not re.search(r"://|index-url|find-links|\.(com|org|net|io)\b", lock.path_of(name).read_text("utf-8"))

    def test_a_package_has_the_same_version_everywhere(self):
        cpu = pins("cpu").items()
        for name in ("cuda", "notebook", "test"):
            assert cpu <= pins(name).items()

    def test_another_requirement_makes_them_stale(self):
        settings = json.loads(json.dumps(SETTINGS))
        settings["project"]["optional-dependencies"]["cuda13"] = ["cupy-cuda13x[ctk]>=99"]
        assert_equal(lock.stale(settings), ["cuda", "notebook"])
        settings["project"]["dependencies"].append("more")
        assert_equal(lock.stale(settings), ["cpu", "cuda", "notebook", "test"])

    def test_other_settings_do_not(self):
        settings = json.loads(json.dumps(SETTINGS))
        settings["project"]["description"] = "another"
        settings["project"]["optional-dependencies"]["unknown"] = ["more"]
        assert not lock.stale(settings)

    def test_extras_of_extras_are_followed(self):
        settings = {
            "project": {
                "name": "gpumetrics",
                "dependencies": ["numpy"],
                "optional-dependencies": {"all": ["gpumetrics[a,b]"], "a": ["gpumetrics[b]", "x"], "b": ["y>=2"]},
            }
        }
        assert_equal(lock.requirements("cpu", settings), ["numpy", "x", "y>=2"])


class TestDockerfile:
    def test_has_every_target(self):
        assert {"cpu", "cuda", "notebook", "test"} <= set(STAGES)

    def test_needs_no_buildkit(self):
        for line in INSTRUCTIONS:
            assert not re.search(r"<<|\s--(mount|link|network|security|parents|exclude)\b", line), line
        assert "syntax=" not in DOCKERFILE

    def test_pins_its_base(self):
        (base,) = re.findall(r"(?m)^ARG PYTHON_IMAGE=(.*)$", DOCKERFILE)
        assert re.fullmatch(rf"docker\.io/library/python:{re.escape(lock.PYTHON)}-slim-\w+@sha256:[0-9a-f]{{64}}", base)

    def test_installs_nothing_without_digests(self):
        scripts = [*INSTRUCTIONS, *(DOCKER / "install.sh").read_text("utf-8").splitlines()]
        for line in (line for line in scripts if "pip" in line and " install " in line and "/wheel/" not in line):
            assert "--require-hashes --no-deps" in line

    def test_copies_only_what_is_there_and_sent(self):
        sent = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
        copied = [line.split()[1:-1] for line in INSTRUCTIONS if line.startswith("COPY") and "--from" not in line]
        names = [name for words in copied for name in words if not name.startswith("--")]
        assert len(names) > 10
        for name in names:
            assert (ROOT / name).exists(), name
            assert any(Path(name).match(each) or name.startswith(f"{each}/") for each in sent), name

    def test_the_user_is_not_root_in_the_end(self):
        assert_equal([line for line in INSTRUCTIONS if line.startswith("USER")], ["USER 10001:10001"])


class TestCompose:
    @pytest.fixture
    def services(self):
        yaml = pytest.importorskip("yaml")
        return yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8"))["services"]

    def test_every_service_builds_its_target(self, services):
        assert_equal({name: service["build"]["target"] for name, service in services.items()}, {n: n for n in services})
        assert set(services) <= set(STAGES)

    def test_a_gpu_is_reserved_where_it_is_used(self, services):
        def devices(service):
            return service.get("deploy", {}).get("resources", {}).get("reservations", {}).get("devices", [])

        wanted = [{"driver": "nvidia", "count": 1, "capabilities": ["gpu"]}]
        assert_equal({n: devices(s) for n, s in services.items()}, {"cuda": wanted, "cpu": [], "notebook": wanted})
        assert_equal(services["cpu"]["profiles"], ["cpu"])

    def test_ports_are_open_to_this_machine_only(self, services):
        ports = [port for service in services.values() for port in service.get("ports", [])]
        assert ports
        assert all(port.startswith("127.0.0.1:") for port in ports)


class TestCheckOfAnImage:
    @pytest.fixture
    def image(self):
        names = ("title", "description", "licenses", "version", "revision", "source", "base.name")
        config = {
            "User": "10001:10001",
            "Entrypoint": ["gpumetrics"],
            "Env": ["CUPY_CACHE_DIR=/c", "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"],
            "WorkingDir": "/data",
            "Healthcheck": {"Test": ["CMD", "gpumetrics", "doctor", "--quiet"]},
            "Labels": {f"org.opencontainers.image.{name}": "1.2" for name in names},
        }
        return {"Docker": {"config": config}}

    def test_a_good_one(self, image):
        assert_equal(check_image.complaints(image, "cuda", "1.2"), [])

    @pytest.mark.parametrize(
        ("name", "value", "told"),
        [
            ("User", "0", "the user is '0'"),
            ("Entrypoint", ["sh"], "entry point"),
            ("Env", ["CUPY_CACHE_DIR=/c"], "NVIDIA"),
            ("Healthcheck", {}, "health check"),
            ("Labels", {}, "version"),
        ],
    )
    def test_what_is_wrong_is_told(self, image, name, value, told):
        image["Docker"]["config"][name] = value
        assert told in check_image.complaints(image, "cuda", "1.2")[0]
