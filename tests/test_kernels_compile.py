"""The CUDA kernels compile, without a GPU or a driver: with NVRTC as CuPy does, and with nvcc where there is one."""

import ctypes
import importlib.util
import platform
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gpumetrics.backends.cupy_kernels import FOLDER, KERNELS, source

ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
FILES = sorted(path.name for path in FOLDER.iterdir())
CODE = {name: (FOLDER / name).read_text(encoding="utf-8") for name in FILES}
# The oldest and the newest architecture (the oldest of files with a kernel for each metric); the others where time is.
LONG, ENDS = ("direct_distance_sums.cu", "direct_cell_sums.cu"), (ARCHITECTURES[0], ARCHITECTURES[-1])
JOBS = [(file, arch) for file in KERNELS for arch in (ENDS[:1] if file in LONG else ENDS)]
SLOW_JOBS = [(file, arch) for file in KERNELS for arch in ARCHITECTURES if (file, arch) not in JOBS]
ON_PYPI = sys.platform == "linux" and platform.machine() in {"x86_64", "aarch64"}


class Nvrtc:
    """The compiler, by its C interface: neither CuPy nor a driver is needed."""

    def __init__(self):
        spec = importlib.util.find_spec("nvidia")
        folders = [] if spec is None else map(Path, spec.submodule_search_locations)
        found = sorted(path for folder in folders for path in folder.glob("*/lib/libnvrtc.so.*"))
        if not found:
            message = "nvidia-cuda-nvrtc is not installed"
            pytest.fail(f"{message}; it is part of the extra 'test'") if ON_PYPI else pytest.skip(message)
        self.lib = ctypes.CDLL(str(found[-1]))

    def compile(self, file, arch):
        """Compile all kernels of a file; return the log, the PTX, and the names that were not found."""
        program = ctypes.c_void_p()
        text = (source(file).encode(), file.encode())
        self._check(self.lib.nvrtcCreateProgram(ctypes.byref(program), *text, 0, None, None))
        for name in KERNELS[file]:
            self._check(self.lib.nvrtcAddNameExpression(program, name.encode()))
        options = (ctypes.c_char_p * 2)(b"--std=c++17", f"--gpu-architecture={arch}".encode())
        failed = self.lib.nvrtcCompileProgram(program, len(options), options)
        log = self._text(program, "ProgramLog")
        if failed:
            return log, "", KERNELS[file]
        lowered = ctypes.c_char_p()
        missing = [
            name
            for name in KERNELS[file]
            if self.lib.nvrtcGetLoweredName(program, name.encode(), ctypes.byref(lowered)) or not lowered.value
        ]
        ptx = self._text(program, "PTX")
        self._check(self.lib.nvrtcDestroyProgram(ctypes.byref(program)))
        return log, ptx, missing

    def _text(self, program, what):
        size = ctypes.c_size_t()
        self._check(getattr(self.lib, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value)
        self._check(getattr(self.lib, f"nvrtcGet{what}")(program, text))
        return text.value.decode()

    @staticmethod
    def _check(status):
        assert status == 0


@pytest.fixture(scope="module")
def compiled():
    """Log, PTX and missing names of each file for each architecture."""
    nvrtc = Nvrtc()
    # The longest first, so that both threads end at about the same time.
    jobs = sorted(JOBS, key=lambda job: -len(KERNELS[job[0]]))
    with ThreadPoolExecutor(2) as threads:
        return dict(zip(jobs, threads.map(lambda job: nvrtc.compile(*job), jobs), strict=True))


@pytest.mark.parametrize(("file", "arch"), JOBS)
def test_nvrtc_compiles(compiled, file, arch):
    check(file, *compiled[file, arch])


@pytest.mark.slow
@pytest.mark.parametrize(("file", "arch"), SLOW_JOBS)
def test_nvrtc_compiles_the_rest(file, arch):
    check(file, *Nvrtc().compile(file, arch))


def check(file, log, ptx, missing):
    assert not log
    assert not missing
    assert ptx.count(".entry") == len(KERNELS[file])


def test_no_atomics_on_floats(compiled):
    atomics = {
        found for _, ptx, _ in compiled.values() for found in re.findall(r"(?<![\w.])(?:atom|red)\.[\w.:]+", ptx)
    }
    assert atomics, "the counts of joint_counts.cu are atomic: this test must see them"
    assert not [name for name in atomics if re.search(r"\.(b?f\d+|bf16x2|f16x2)$", name)]


def test_the_table_has_every_kernel():
    assert set(KERNELS) == {name for name in FILES if name.endswith(".cu")}
    for file, names in KERNELS.items():
        declared = re.findall(r"__global__ void(?: __launch_bounds__\([^)]*\))?\s+(\w+)\(", CODE[file])
        assert sorted(declared) == sorted({name.split("<")[0] for name in names})
        assert len(names) == len(set(names))


@pytest.mark.parametrize("file", FILES)
def test_files_stand_by_themselves(file):
    code = CODE[file]
    assert code.startswith("// ")
    assert "#define" not in code
    included = re.findall(r"^\s*#\s*include\s*(.*)$", code, re.MULTILINE)
    assert all(name.strip('"') in FILES and name.endswith('.cuh"') for name in included)
    assert ("#pragma once" in code) == file.endswith(".cuh")
    # The entry points say how they are launched.
    assert not file.endswith(".cu") or "launch" in code.split("#include")[0]


@pytest.mark.parametrize("file", KERNELS)
def test_the_loader_adds_nothing(file):
    text = source(file)
    assert "#include" not in text
    own = {line for name in FILES for line in CODE[name].splitlines()}
    assert set(text.splitlines()) <= own
    lines = text.splitlines()
    definitions = [line for line in lines if re.match(r"(struct|constexpr) ", line)]
    assert len(definitions) == len(set(definitions)), "a header came in twice"


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not on PATH")
@pytest.mark.parametrize("file", [pytest.param(f, marks=pytest.mark.slow) if f in LONG else f for f in KERNELS])
def test_nvcc_spills_no_registers(file):
    path = Path(__file__).parents[1] / "benchmarks" / "kernel_report.py"
    spec = importlib.util.spec_from_file_location("kernel_report", path)
    report = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(report)
    rows = report.usage(file)
    print(*rows, sep="\n")
    assert len(rows) == len(KERNELS[file])
    for row in rows:
        assert row.spilled == 0
        assert row.registers <= 128  # two blocks of 256 threads at once, on every architecture
