"""Files from elsewhere cannot run code, fill the memory, or speak through a report."""

import ast
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_equal

import gpumetrics as gm
from gpumetrics.backends import cupy_kernels
from gpumetrics.cli import main
from gpumetrics.planning import machines
from gpumetrics.sources.chunks import open_rows
from gpumetrics.sources.files import read_labels
from gpumetrics.sources.label_tables import read_labelings
from gpumetrics.sources.specs import InputFileError
from gpumetrics.sources.texts import read_samples

PACKAGE = Path(gm.__file__).parent
MODULES = {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}
# What runs the code that it is given, starts programs, or asks the network.
UNSAFE = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "subprocess", "socket", "urllib", "requests", "http"}


def calls(tree):
    """Return the calls in a module, by the last part of the name that is called."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [(getattr(node.func, "attr", getattr(node.func, "id", "")), node) for node in found]


def touched(folder):
    """Return an object that makes a file where it is unpickled."""

    class Mine:
        def __reduce__(self):
            return (Path.touch, (folder / "was-here",))

    return np.array([Mine()], dtype=object)


def unpickled(folder):
    return (folder / "was-here").exists()


READERS = {
    "rows": lambda path: open_rows(path).__enter__().__iter__().__next__(),
    "labels": read_labels,
    "labelings": lambda path: read_labelings([str(path)]),
    "samples": lambda path: read_samples(str(path), 1),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_files_are_never_unpickled(tmp_path, reader, ending):
    path = tmp_path / f"x.{ending}"
    (np.save if ending == "npy" else np.savez)(path, touched(tmp_path))
    with pytest.raises(InputFileError, match=r"holds pickled Python objects, which are not loaded; save plain numbers"):
        READERS[reader](path)
    assert not unpickled(tmp_path)
    np.load(path, allow_pickle=True)["arr_0" if ending == "npz" else ()]
    assert unpickled(tmp_path), "the file would have shown it"


def test_every_load_says_so():
    loads = [(module, node) for module, tree in MODULES.items() for name, node in calls(tree) if name == "load"]
    of_numpy = [(module, node) for module, node in loads if ast.unparse(node.func) in {"np.load", "numpy.load"}]
    assert len(of_numpy) >= 3
    for module, node in of_numpy:
        told = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        assert told.get("allow_pickle") == "False", f"{module}:{node.lineno}: say allow_pickle=False"


def test_nothing_runs_code_or_asks_the_network():
    for module, tree in MODULES.items():
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not {name.partition(".")[0] for name in names} & UNSAFE, module
        run = [node for name, node in calls(tree) if name in {"eval", "exec"} and isinstance(node.func, ast.Name)]
        assert not run, f"{module}:{run[0].lineno}" if run else ""


def with_codec(store, filters, compressor):
    """Write a Zarr array of version 2 whose only chunk is what the codecs leave as it is."""
    store.mkdir()
    (store / ".zarray").write_text(
        json.dumps(
            {
                "zarr_format": 2,
                "shape": [3],
                "chunks": [3],
                "dtype": "|O",
                "fill_value": None,
                "order": "C",
                "filters": filters,
                "compressor": compressor,
            }
        )
    )
    (store / "0").write_bytes(b"any")
    return store


@pytest.mark.parametrize("where", ["filter", "compressor", "within another"])
def test_chunks_of_zarr_are_never_unpickled(tmp_path, monkeypatch, where):
    registry = pytest.importorskip("numcodecs.registry")
    abc = pytest.importorskip("numcodecs.abc")
    pytest.importorskip("zarr")
    decoded = []

    class Unpickles(abc.Codec):
        """What numcodecs had by this name up to 0.16.5; since then it is refused when it is looked up."""

        codec_id = "pickle"

        def __init__(self, **_):
            pass

        def encode(self, buf):
            return buf

        def decode(self, buf, out=None):
            decoded.append(buf)
            return np.array(["a", "b", "b"], dtype=object)

        def get_config(self):
            return {"id": "pickle"} if where != "within another" else {"id": "wraps", "inner": [{"id": "pickle"}]}

    monkeypatch.setitem(registry.codec_registry, "pickle", Unpickles)
    codec, text = {"id": "pickle"}, {"id": "vlen-utf8"}
    filters, compressor = ([text], codec) if where == "compressor" else ([text, codec], None)
    store = with_codec(tmp_path / "y.zarr", filters, compressor)
    with pytest.raises(InputFileError, match=r"y\.zarr: its chunks are pickled Python objects, which are not loaded"):
        read_labels(store)
    assert not decoded


class TestArchivesThatUnpackToMoreThanTheMemory:
    @pytest.fixture(autouse=True)
    def small_machine(self, monkeypatch):
        monkeypatch.setattr(machines, "physical_memory", lambda: 1 << 20)

    @pytest.mark.parametrize("reader", READERS)
    def test_are_refused(self, tmp_path, reader):
        np.savez_compressed(tmp_path / "x.npz", X=np.zeros((1 << 18, 1)))
        assert (tmp_path / "x.npz").stat().st_size < 20_000
        told = r"x\.npz: 1 array \(X\) would unpack to 2\.0 MiB, but this machine has 1\.0 MiB .* the rows as \.npy"
        with pytest.raises(InputFileError, match=told):
            READERS[reader](tmp_path / "x.npz")

    def test_nothing_is_unpacked_before(self, tmp_path, monkeypatch):
        np.savez_compressed(tmp_path / "x.npz", X=np.zeros(1 << 18))
        monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("unpacked"))
        with pytest.raises(InputFileError, match="would unpack"):
            read_labels(tmp_path / "x.npz")

    def test_labelings_count_together(self, tmp_path):
        np.savez_compressed(tmp_path / "y.npz", **{f"k{k}": np.zeros(1 << 14, int) for k in range(9)})
        with pytest.raises(InputFileError, match=r"y\.npz: 9 arrays \(k0, .* and 1 more\) would unpack to 1\.1 MiB"):
            read_labelings([str(tmp_path / "y.npz")])
        assert_equal(len(read_labels(f"{tmp_path}/y.npz:k3")), 1 << 14)

    @pytest.mark.parametrize("reader", READERS)
    def test_a_small_array_of_the_same_name_hides_none(self, tmp_path, reader):
        np.save(tmp_path / "large.npy", np.zeros((1 << 18, 1)))
        np.save(tmp_path / "small.npy", np.zeros((3, 1)))
        with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(tmp_path / "large.npy", "X")  # NumPy takes this one for X
            archive.write(tmp_path / "small.npy", "X.npy")
        path = tmp_path / "x.npz" if reader == "labelings" else f"{tmp_path}/x.npz:X"
        with pytest.raises(InputFileError, match="would unpack to"):
            READERS[reader](path)

    def test_the_command_says_it_in_one_line(self, tmp_path, capsys):
        np.savez_compressed(tmp_path / "x.npz", X=np.zeros((1 << 18, 1)))
        np.save(tmp_path / "y.npy", np.arange(1 << 18) % 2)
        assert_equal(main(["evaluate", f"{tmp_path}/x.npz", f"{tmp_path}/y.npy"]), 2)
        out, err = capsys.readouterr()
        assert_equal((out, err.count("\n")), ("", 1))
        assert "would unpack to 2.0 MiB" in err


class TestHeadersThatClaimMuch:
    """A file of a hundred bytes that costs as much as its header says."""

    def header(self, path, descr, shape):
        with path.open("wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
        return str(path)

    def test_columns_without_rows(self, tmp_path):
        spec = self.header(tmp_path / "y.npy", "<f8", (0, 10**12))
        with pytest.raises(InputFileError, match=r"y\.npy: has no rows \(shape \(0, 1000000000000\)\)"):
            read_labelings([spec])

    def test_more_columns_than_anybody_has_labelings(self, tmp_path):
        np.save(tmp_path / "y.npy", np.zeros((2, 20_000), np.int8))
        with pytest.raises(InputFileError, match=r"y\.npy: would be 20,000 labelings"):
            read_labelings([f"{tmp_path}/y.npy"])

    def test_text_of_no_length(self, tmp_path):
        spec = self.header(tmp_path / "y.npy", "<U0", (10**12,))
        with pytest.raises(InputFileError, match=r"y\.npy: its labels are text of no length"):
            read_labels(spec)


STEERING = "\x1b]0;mine\x07\x1b[31mred"


class TestNamesInATerminal:
    @pytest.fixture(name="files")
    def some_files(self, tmp_path):
        rng = np.random.default_rng(0)
        np.save(tmp_path / "y.npy", np.arange(20) % 2)
        np.savez(tmp_path / "two.npz", **{STEERING: rng.normal(size=(20, 2)), "b": rng.normal(size=(20, 2))})
        head = f"a,b,{STEERING}\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rng.normal(size=(20, 3)))
        (tmp_path / "x.csv").write_text(head)
        return tmp_path

    @pytest.mark.parametrize(
        "arguments",
        [
            ["evaluate", "two.npz", "y.npy"],
            ["evaluate", "x.csv", "y.npy"],
            ["evaluate", "x.csv", "y.npy", "--drop", STEERING],
            ["evaluate", "x.csv:none", "y.npy"],
            ["evaluate", "x.csv", f"{STEERING}.npy"],
            ["compare", "x.csv", "two.npz"],
        ],
        ids=" ".join,
    )
    def test_are_escaped(self, files, monkeypatch, capsys, arguments):
        monkeypatch.chdir(files)
        main(arguments)
        shown = "".join(capsys.readouterr())
        assert shown
        assert all(character.isprintable() or character == "\n" for character in shown)


class TestKernels:
    def test_only_one_module_compiles(self):
        compilers = {"RawKernel", "RawModule", "ElementwiseKernel", "ReductionKernel", "compile_with_cache", "fuse"}
        found = {module for module, tree in MODULES.items() for name, _ in calls(tree) if name in compilers}
        assert found == {"backends/cupy_kernels.py"}

    def test_it_compiles_files_of_the_package(self):
        (call,) = [node for name, node in calls(MODULES["backends/cupy_kernels.py"]) if name == "RawModule"]
        assert {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}["code"] == "source(file)"
        assert cupy_kernels.FOLDER == PACKAGE / "backends" / "kernels"
        assert set(cupy_kernels.KERNELS) == {path.name for path in cupy_kernels.FOLDER.glob("*.cu")}

    def test_headers_lie_beside_them(self):
        for path in cupy_kernels.FOLDER.iterdir():
            for name in re.findall(r'(?m)^#include "(.*)"', path.read_text("utf-8")):
                assert (cupy_kernels.FOLDER / name).parent == cupy_kernels.FOLDER, path.name

    def test_another_name_is_refused(self):
        with pytest.raises(KeyError):
            cupy_kernels.FILES["my_kernel"]


# The reports' own tests (tests/pages) go through every part of a page with hostile names.
@pytest.mark.parametrize("make", ["clustering", "tags"])
def test_names_of_the_user_are_text_in_reports(tmp_path, make):
    hostile = "<script>mine()</script>"
    if make == "clustering":
        report = gm.evaluate_clustering([[0.0], [1.0], [5.0], [6.0]], [hostile, hostile, "b", "b"])
    else:
        report = gm.evaluate_tags([[hostile], ["b"]], [["b"], [hostile]])
    report.save_html(tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text("utf-8")
    assert "&lt;script&gt;mine()" in html
    assert "<script>mine()" not in html
