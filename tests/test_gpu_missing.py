"""Without CuPy, with CuPy but no driver, with a broken CuPy: the CPU serves, and every text says which it is."""

import functools
import json
import os
import re
import subprocess
import sys

import pytest

from gpumetrics.backends import BROKEN, CUPY_PACKAGES, MISSING, NO_DEVICE, probe_cupy, reinstall_cupy
from gpumetrics.commands import doctor

AVAILABLE = "class cuda:\n  is_available = staticmethod(lambda: {})\n"
TOTAL = AVAILABLE.format(True) + "def arange(n): return Sum()\nclass Sum:\n  def sum(self): return {}\n"
TOTAL += "  class Device: id = 0\ncuda.Device = Sum.Device\n"
TOTAL += "class runtime:\n  getDeviceProperties = staticmethod(lambda i: {{'name': b'GPU'}})\ncuda.runtime = runtime\n"

# What `import cupy` finds; None: nothing; "real": the CuPy that is installed.
CUPY = {
    "not installed": None,
    "no driver": "real",
    "no device": AVAILABLE.format(False),
    "does not import": "raise ImportError('libcublas.so.13: cannot open shared object file')",
    "warns at import": "import warnings\nwarnings.warn('several CuPy packages are installed')",
    "first operation": AVAILABLE.format(True) + "def arange(n): raise OSError('nvrtc: error: invalid value')",
    "wrong result": TOTAL.format(4),
}
STATES = {"not installed": "missing", "no driver": "no device", "no device": "no device"}
BEGINNINGS = {"missing": MISSING, "no device": NO_DEVICE, "broken": BROKEN}
SAYS = {
    "does not import": "it does not import: ImportError: libcublas.so.13: cannot open shared object file",
    "warns at import": "it does not import: UserWarning: several CuPy packages are installed",
    "first operation": "its first operation fails: OSError: nvrtc: error: invalid value",
    "wrong result": "it computes wrongly: 0 + 1 + 2 gave 4",
}

CODE = """
import contextlib, io, json, sys
if "not installed" in sys.argv:
    sys.modules["cupy"] = None
import gpumetrics as gm
X, y = [[0.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1]
facts = {"small": gm.silhouette_score(X, y), "loaded": sys.modules.get("cupy") is not None}

from gpumetrics.backends import choose
from gpumetrics.clustering import inputs
choice = choose(seconds=lambda: 1e9)
facts["auto"] = choice.ops.NAME, choice.reason
inputs.SOON_DONE, inputs.estimate_seconds = 0, lambda *_, **__: 1e9
report = gm.evaluate_clustering(X, y, silhouette="exact")
facts["large"] = report.scores["silhouette"], report.backend, report.backend_reason

facts["errors"] = []
with gm.config_context(backend="cupy"):
    for call in (lambda: gm.silhouette_samples(X, y), lambda: gm.rand_score(y, y)):
        try:
            call()
        except gm.BackendError as error:
            facts["errors"].append(str(error))

from gpumetrics.cli import main
from gpumetrics.commands import doctor
doctor._driver_cuda = lambda: None
doctor._blas = list
facts["doctor"] = {}
for backend in ("auto", "cupy"):
    for form in ("", "--json", "--quiet"):
        out = io.StringIO()
        with gm.config_context(backend=backend), contextlib.redirect_stdout(out):
            code = main(["doctor", *form.split()])
        facts["doctor"][f"{backend}{form}"] = code, out.getvalue()
print(json.dumps(facts))
"""


@pytest.fixture(scope="module")
def facts_of(tmp_path_factory):
    """A function that runs the package beside a CuPy of a kind, once, and gives what it said."""

    @functools.cache
    def run(kind):
        command, path = [sys.executable, "-W", "error::UserWarning", "-c", CODE, kind], list(sys.path)
        if CUPY[kind] == "real":
            usable, reason = probe_cupy()
            if usable or not reason.startswith(NO_DEVICE):
                pytest.skip(f"CuPy without a driver is needed: {reason}")
        elif CUPY[kind]:
            folder = tmp_path_factory.mktemp("cupy")
            (folder / "cupy.py").write_text(CUPY[kind])
            path.insert(0, str(folder))
        env = {name: value for name, value in os.environ.items() if name != "GPUMETRICS_BACKEND"}
        env["PYTHONPATH"] = os.pathsep.join(filter(None, path))
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return run


@pytest.fixture(params=CUPY)
def kind(request):
    return request.param


@pytest.fixture
def facts(facts_of, kind):
    return facts_of(kind)


@pytest.fixture
def state(kind):
    return STATES.get(kind, "broken")


def says_which(text, kind, state):
    """Whether a text says what is wrong, and nothing that is not."""
    others = [beginning for other, beginning in BEGINNINGS.items() if other != state]
    return BEGINNINGS[state] in text and SAYS.get(kind, "") in text and not any(other in text for other in others)


def test_importing_and_small_work_load_no_cupy(facts):
    assert facts["small"] == pytest.approx((5 / 6 + 4 / 5 + 5 / 9 + 9 / 13) / 4)
    assert not facts["loaded"]


def test_large_work_is_done_by_numpy(facts, kind, state):
    name, reason = facts["auto"]
    assert name == "numpy"
    assert says_which(reason, kind, state)
    assert facts["large"] == [facts["small"], "numpy", reason]


def test_asking_for_it_is_one_clear_error(facts, kind, state):
    first, second = facts["errors"]
    assert first == second
    assert first.startswith('backend="cupy" was asked for, but no GPU can be used here: ')
    assert says_which(first, kind, state)
    assert 'backend="numpy"' in first
    assert re.search(r"\.(\s|$)", first).end() == len(first)  # one sentence, on one line
    if state != "no device":
        assert PIP[state] in first


# The exact line, and where it is the driver no line at all.
PIP = {
    "missing": 'pip install "gpumetrics[cuda13]"',
    "broken": reinstall_cupy(),
    "no device": "install NVIDIA's driver",
}


def test_the_doctor_says_which_and_what_to_do(facts, kind, state):
    code, text = facts["doctor"]["auto"]
    assert code == 0
    first, *_, gpu, mend = text.splitlines()
    assert re.fullmatch(r"gpumetrics \S+: the numpy backend runs: .*", first)
    assert gpu.startswith("GPU      not usable: ")
    assert says_which(first, kind, state)
    assert says_which(gpu, kind, state)
    assert mend.startswith("to mend  ")
    assert PIP[state] in mend
    assert ("pip " in mend) == (state != "no device")


def test_the_doctor_in_json(facts, kind, state):
    code, text = facts["doctor"]["auto--json"]
    found = json.loads(text)
    assert (code, found["works"], found["backend"]) == (0, True, "numpy")
    assert (found["gpu_usable"], found["gpu_state"]) == (False, state)
    assert says_which(found["gpu"], kind, state)
    assert found["backend_reason"] == found["gpu"]
    assert PIP[state] in found["gpu_install"]


def test_the_doctor_in_one_line(facts, kind, state):
    code, text = facts["doctor"]["auto--quiet"]
    assert (code, text.count("\n")) == (0, 1)
    assert says_which(text, kind, state)
    assert PIP[state] in text


@pytest.mark.parametrize("form", ["", "--json", "--quiet"])
def test_the_doctor_fails_where_it_was_asked_for(facts, kind, state, form):
    code, text = facts["doctor"][f"cupy{form}"]
    assert code == 1
    assert says_which(text.replace('\\"', '"'), kind, state)
    if form == "--json":
        found = json.loads(text)
        assert (found["works"], found["backend"], found["backend_reason"]) == (False, "none", facts["errors"][0])
    else:
        assert text.splitlines()[0].endswith(f"no backend works: {facts['errors'][0]}")


# ---------------------------------------------------------------------------------------------
# The line that mends it


@pytest.mark.parametrize(
    ("packages", "line"),
    [
        ([], 'pip install --force-reinstall "cupy-cuda13x[ctk]"'),
        (["cupy-cuda12x"], 'pip install --force-reinstall "cupy-cuda12x[ctk]"'),
        (["cupy"], 'pip install --force-reinstall "cupy"'),
        (["cupy-cuda13x", "cupy-cuda12x"], 'pip uninstall -y cupy-cuda13x cupy-cuda12x, then pip install "gpumetrics'),
    ],
)
def test_the_line_that_installs_it_again(monkeypatch, packages, line):
    from importlib import metadata

    def distribution(name):
        assert name in CUPY_PACKAGES
        if name not in packages:
            raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", distribution)
    assert reinstall_cupy().startswith(line)


@pytest.mark.parametrize(
    ("state", "driver", "packages", "line"),
    [
        ("missing", None, [], "no NVIDIA driver was found"),
        ("missing", 13, [], 'pip install "gpumetrics[cuda13]"'),
        ("no device", None, ["cupy-cuda13x"], "the driver is missing: install NVIDIA's driver"),
        ("no device", 13, ["cupy-cuda13x"], "the driver is here, but shows no device: check nvidia-smi"),
        ("broken", 13, ["cupy-cuda13x"], 'pip install --force-reinstall "cupy-cuda13x[ctk]"'),
        ("broken", 13, ["cupy-cuda12x"], 'pip install --force-reinstall "cupy-cuda12x[ctk]"'),
        ("broken", 12, ["cupy-cuda12x"], 'pip install --force-reinstall "cupy-cuda12x[ctk]"'),
        ("broken", 12, ["cupy-cuda13x"], 'pip uninstall -y cupy-cuda13x, then pip install "gpumetrics[cuda12]"'),
        ("broken", 11, ["cupy-cuda12x"], "update it to CUDA 12 or later"),
    ],
)
def test_the_doctor_goes_by_the_driver(monkeypatch, state, driver, packages, line):
    from gpumetrics import backends

    monkeypatch.setattr(doctor, "_driver_cuda", lambda: driver)
    monkeypatch.setattr(backends, "cupy_packages", lambda: packages)
    assert line in doctor.gpu_install(state)


@pytest.mark.emulated
def test_the_doctor_where_a_gpu_is_usable(emulated, capsys, monkeypatch):
    monkeypatch.setattr(doctor, "_blas", list)
    assert doctor.run(type("Arguments", (), {"json": False, "quiet": False})) == 0
    text = capsys.readouterr().out
    assert "the cupy backend runs: the work is worth the copy to the GPU (Emulated GPU)" in text
    assert text.splitlines()[-1] == "GPU      usable: Emulated GPU"
    found = doctor.examine()
    assert (found["gpu_usable"], found["gpu_state"], found["gpu_install"]) == (True, "usable", None)
