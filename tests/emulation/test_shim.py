"""The shim: it computes what CUDA does, and says what a GPU would only suffer from."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from emulation import compile as compiling
from emulation import fake_cupy
from emulation.fake_cupy.raw import CUDADriverError, KernelError

missing = compiling.missing_compiler()
pytestmark = [pytest.mark.emulated, pytest.mark.skipif(missing is not None, reason=str(missing))]

KERNELS = (Path(__file__).parent / "shim_cases.cu").read_text(encoding="utf-8")
NAMES = [f"{name}<{t}>" for name in ("block_sum", "shuffles") for t in ("int", "long long", "float", "double")]
NAMES += re.findall(r"^__global__ void (\w+)", KERNELS, re.MULTILINE)
SEEDS = [None, 0, 1, 2]


@pytest.fixture
def cp():
    with fake_cupy.installed() as cupy:
        fake_cupy.control.reset()
        yield cupy
        fake_cupy.control.reset()


@pytest.fixture
def launch(cp):
    module = cp.RawModule(code=KERNELS, options=("--std=c++17",), name_expressions=NAMES)

    def run(name, grid, block, *args, **options):
        module.get_function(name)((grid,), (block,), args, **options)

    return run


# -- what it computes --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "dtype"), [("int", "i4"), ("long long", "i8"), ("float", "f4"), ("double", "f8")])
def test_barriers(cp, launch, name, dtype, seed):
    x = np.random.default_rng(0).integers(0, 100, (5, 256)).astype(dtype)
    out = cp.empty(5)
    with fake_cupy.control.set(order_seed=seed):
        launch(f"block_sum<{name}>", 5, 256, cp.asarray(x), out)
    assert_array_equal(out.get(), x.sum(axis=1))


def shuffled(kind, x, by, width):
    """The rule of CUDA's programming guide, lane by lane."""
    out = x.copy()
    for i in range(len(x)):
        warp, lane = i - i % 32, i % 32
        first = lane - lane % width
        source = {"idx": first + by % width, "up": lane - by, "down": lane + by, "xor": lane ^ by}[kind]
        lowest, highest = {"up": (first, 31), "down": (0, first + width - 1)}.get(kind, (0, first + width - 1))
        if lowest <= source <= highest:
            out[i] = x[warp + source]
    return out


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("width", [2, 8, 32])
@pytest.mark.parametrize("by", [0, 1, 5, 16, 31])
def test_shuffles(cp, launch, by, width, seed):
    for name, dtype in [("int", "i4"), ("long long", "i8"), ("float", "f4"), ("double", "f8")]:
        x = (np.arange(64) * 1.5 + 3).astype(dtype)
        out = cp.empty(256, dtype=dtype)
        with fake_cupy.control.set(order_seed=seed):
            launch(f"shuffles<{name}>", 1, 64, cp.asarray(x), out, np.int32(by), np.int32(width))
        for got, kind in zip(out.get().reshape(4, 64), ["idx", "up", "down", "xor"], strict=True):
            assert_array_equal(got, shuffled(kind, x, by, width), err_msg=kind)


@pytest.mark.parametrize("seed", SEEDS)
def test_votes(cp, launch, seed):
    x = np.random.default_rng(1).integers(0, 2, 64).astype(np.int32)
    x[32:] = 1
    out = cp.empty(192, dtype=np.int64)
    with fake_cupy.control.set(order_seed=seed):
        launch("votes", 1, 64, cp.asarray(x), out)
    ballots = [int(sum(1 << lane for lane in range(32) if x[warp + lane])) for warp in (0, 32)]
    assert_array_equal(out.get()[:128], np.repeat([*ballots, 2, 3], 32))
    assert_array_equal(out.get()[128:], 4 * x.sum() + 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_in_separate_masks_and_warps_that_leave(cp, launch, seed):
    out, kept = cp.empty(32, dtype=np.int32), cp.zeros(96)
    with fake_cupy.control.set(order_seed=seed):
        launch("halves", 1, 32, out)
        launch("leavers", 1, 96, kept)
    assert_array_equal(out.get(), np.repeat([3, 20], 16))
    assert_array_equal(kept.get(), np.where(np.arange(96) // 32 == 1, 0, np.arange(96) ^ 1))


def test_coordinates_in_three_dimensions(cp):
    module = cp.RawModule(code=KERNELS, options=("--std=c++17",), name_expressions=NAMES)
    out = cp.empty(3 * 2 * 2 * 60, dtype=np.int64)
    module.get_function("coordinates")((3, 2, 2), (5, 4, 3), (out,))
    assert_array_equal(out.get().reshape(12, 60), np.arange(12)[:, None] * 1000 + np.arange(60))


def test_dynamic_shared_memory_and_integer_atomics(cp, launch):
    x = np.random.default_rng(2).integers(0, 16, 1000)
    for seed in SEEDS:
        out = cp.zeros(16, dtype=np.uint64)
        with fake_cupy.control.set(order_seed=seed):
            launch("histogram", 3, 64, cp.asarray(x), 1000, out, shared_mem=64)
        assert_array_equal(out.get(), np.bincount(x, minlength=16))


def test_functions_of_numbers(cp, launch):
    out = cp.empty(4)
    launch("numbers", 1, 1, out)
    assert_array_equal(out.get(), [np.inf, 4 + 4 + 31 + 3, 4 + 1.5 + 7 + 2 + 1 + 8, 5])


# -- what it says ------------------------------------------------------------------------------

DEADLOCKS = [
    ("some_reach_the_barrier", (np.int32(100),), "never reached by 156 of 256 threads"),
    ("some_lanes_vote", (np.int32(20),), r"__ballot_sync with mask 0xffffffff in warp 0.*lanes 20 21 22 .* 31"),
    ("lanes_do_this_and_that", (), "__any_sync.* while other lanes .* __ballot_sync"),
    ("a_lane_outside_its_mask", (), "mask 0x0000ffff, in which its own lane 16 is not"),
    ("barrier_against_vote", (), "__syncthreads is never reached.*__all_sync.*at __syncthreads: 0 1 2"),
    ("masks_that_cross", (), "in another warp primitive"),
]


@pytest.mark.parametrize(("name", "args", "text"), DEADLOCKS)
@pytest.mark.parametrize("seed", [None, 3])
def test_barriers_that_are_not_reached(launch, name, args, text, seed):
    if seed is None:
        with pytest.raises(KernelError, match=rf"{name}, block \(0, 0, 0\): .*{text}"):
            launch(name, 2, 256, *args)
    with fake_cupy.control.set(order_seed=seed), pytest.raises(KernelError, match=name):
        launch(name, 2, 256, *args)


def test_the_next_launch_after_an_error_is_a_clean_one(cp, launch):
    out = cp.empty(1)
    for _ in range(3):
        with pytest.raises(KernelError):
            launch("barrier_against_vote", 1, 256)
        launch("block_sum<double>", 1, 256, cp.ones(256), out)
        assert out.item() == 256


def results(cp, launch, name, grid=4, block=64, dtype=np.float64):
    """The results of a kernel in the natural order and in several others, as bytes."""
    found = set()
    for seed in [None, *range(8)]:
        out = cp.zeros(block, dtype=dtype)
        with fake_cupy.control.set(order_seed=seed):
            launch(name, grid, block, out)
        found.add(out.get().tobytes())
    return found


@pytest.mark.parametrize("name", ["no_barrier", "sums_in_turn"])
def test_a_race_shows_in_other_orders(cp, launch, name):
    assert len(results(cp, launch, name)) > 1


def test_a_race_of_blocks_shows_in_other_orders(cp, launch):
    assert len(results(cp, launch, "last_wins", dtype=np.int32)) > 1


def test_what_has_no_race_is_the_same_in_all_orders(cp, launch):
    assert len(results(cp, launch, "across_lanes_in_step", 1, 32)) == 1


def test_shared_memory_is_poisoned_for_every_block(cp, launch):
    out = cp.zeros(64)
    launch("reads_shared_too_early", 3, 64, out)
    assert np.isnan(out.get()).all()


@pytest.mark.parametrize("place", [7, -39])
def test_writes_out_of_bounds(cp, launch, place):
    out = cp.zeros(7)
    with pytest.raises(KernelError, match=f"argument 0.*written {'after' if place > 0 else 'before'} the array"):
        launch("writes_behind", 1, 32, out, place)
    launch("writes_behind", 1, 7, out, 0)  # the damage is said once


def test_too_little_dynamic_shared_memory(cp, launch):
    with pytest.raises(KernelError, match="outside the dynamic shared memory"):
        launch("histogram", 1, 64, cp.zeros(1, dtype=np.int64), 1, cp.zeros(16, dtype=np.uint64), shared_mem=32)


# -- the checker of every access ---------------------------------------------------------------

RACES = [
    ("no_barrier", 64, 1, "byte .* of a shared variable"),
    ("across_lanes", 32, 1, "byte .* of a shared variable"),
    ("sums_in_turn", 64, 1, "byte 0 of the memory of argument 0, as thread 0 of block 0"),
    ("sums_in_turn", 1, 2, "byte 0 of the memory of argument 0, as thread 0 of block 0"),
]


@pytest.mark.parametrize(("name", "block", "grid", "text"), RACES)
def test_every_race_is_found_in_one_order(cp, launch, name, block, grid, text):
    with fake_cupy.control.set(check=True), pytest.raises(KernelError, match=f"a race: it .*{text}"):
        launch(name, grid, block, cp.zeros(64))


def test_every_read_out_of_bounds_is_found(cp, launch):
    x, out = cp.zeros(40), cp.zeros(64)
    launch("reads_behind", 1, 32, x, out, 39 - 8)
    with fake_cupy.control.set(check=True):
        launch("reads_behind", 1, 32, x, out, 39)
        with pytest.raises(KernelError, match="outside of all arrays: 0 bytes after the end of argument 0"):
            launch("reads_behind", 1, 32, x, out, 40)


def test_a_kernel_must_stay_within_the_part_that_it_was_given(cp, launch):
    x, out = cp.zeros(100), cp.zeros(64)
    launch("reads_behind", 1, 32, x[20:60], out, 40)
    with fake_cupy.control.set(check=True):
        launch("reads_behind", 1, 32, x[20:60], out, 39)
        with pytest.raises(KernelError, match="0 bytes after the end of argument 0"):
            launch("reads_behind", 1, 32, x[20:60], out, 40)


def test_correct_kernels_pass_the_checker(cp, launch):
    with fake_cupy.control.set(check=True):
        launch("across_lanes_in_step", 1, 32, cp.zeros(32))
        x = np.arange(1000) % 16
        out, sums = cp.zeros(16, dtype=np.uint64), cp.empty(3)
        launch("histogram", 3, 64, cp.asarray(x), 1000, out, shared_mem=64)
        launch("block_sum<float>", 3, 256, cp.ones(768, dtype=np.float32), sums)
        launch("shuffles<double>", 1, 64, cp.ones(64), cp.empty(256), np.int32(1), np.int32(32))
    assert_array_equal(out.get(), np.bincount(x))
    assert_array_equal(sums.get(), 256)


# -- arguments ---------------------------------------------------------------------------------


def typed(cp):
    arrays = [cp.zeros(2, dtype=np.float32), cp.zeros(2, dtype=np.int64), cp.zeros(2, dtype=bool)]
    return [*arrays, np.int32(1), 2, np.float32(3), 4.0, True]


def test_arguments_that_fit(cp, launch):
    args = typed(cp)
    launch("typed", 1, 1, *args)
    args[:3] = 0, np.uint64(0), np.intp(0)  # null pointers
    args[3:] = [np.int32(1), np.int64(2), np.float32(3), np.float64(4), np.bool_(1)]
    launch("typed", 1, 1, *args)


WRONG = [
    (0, lambda cp: cp.zeros(2), "a pointer to f4, the array is f8"),
    (1, lambda cp: cp.zeros(2, dtype=np.int32), "a pointer to i8, the array is i4"),
    (0, lambda cp: np.zeros(2, dtype=np.float32), "not <class 'numpy.ndarray'>"),
    (0, lambda cp: None, "NoneType"),
    (0, lambda cp: 5, "or an integer 0"),
    (0, lambda cp: cp.zeros((4, 4), dtype=np.float32)[:, ::2], "gaps"),
    (3, lambda cp: 1, "the kernel has a i4, the value is i8"),
    (3, lambda cp: True, "the kernel has a i4, the value is b1"),
    (4, lambda cp: np.int32(1), "the kernel has a i8, the value is i4"),
    (4, lambda cp: 2**63, "the kernel has a i8, the value is u8"),
    (4, lambda cp: cp.zeros((), dtype=np.int64), "Unsupported type"),
    (5, lambda cp: 1.0, "the kernel has a f4, the value is f8"),
    (6, lambda cp: 1, "the kernel has a f8, the value is i8"),
    (7, lambda cp: 1, "the kernel has a b1, the value is i8"),
]


@pytest.mark.parametrize(("position", "make", "text"), WRONG)
def test_arguments_that_do_not_fit(cp, launch, position, make, text):
    args = typed(cp)
    args[position] = make(cp)
    with pytest.raises(TypeError, match=f"typed, argument {position}: .*{text}"):
        launch("typed", 1, 1, *args)


def test_too_few_arguments(cp, launch):
    with pytest.raises(TypeError, match="takes 8 arguments, 7 were given"):
        launch("typed", 1, 1, *typed(cp)[:-1])


TOO_LARGE = [((1,), (1025,)), ((1,), (32, 33)), ((1, 65536), (1,)), ((1, 1, 65536), (1,))]


@pytest.mark.parametrize(("grid", "block"), TOO_LARGE)
def test_launches_beyond_the_limits(cp, grid, block):
    kernel = cp.RawModule(code=KERNELS, name_expressions=NAMES).get_function("coordinates")
    with pytest.raises(CUDADriverError):
        kernel(grid, block, (cp.empty(1, dtype=np.int64),))


# -- sources -----------------------------------------------------------------------------------


@pytest.mark.parametrize("t", ["float", "double"])
def test_float_atomics_do_not_compile(cp, t):
    code = f"__global__ void f({t}* x) {{ atomicAdd(x, ({t})1); }}"
    with pytest.raises(KernelError, match="deleted function"):
        cp.RawModule(code=code, name_expressions=["f"]).get_function("f")


def test_headers_do_not_exist(cp):
    with pytest.raises(KernelError, match="no headers to include"):
        cp.RawModule(code="#include <cmath>\n__global__ void f() {}", name_expressions=["f"]).get_function("f")


def test_names_that_do_not_exist(cp):
    module = cp.RawModule(code="__global__ void f() {}", name_expressions=["f"])
    with pytest.raises(CUDADriverError, match="not found"):
        module.get_function("g")
    with pytest.raises(ValueError, match="does not know"):
        cp.RawModule(code="", options=("-DX=1",))


def test_declarations_of_shared_memory():
    text = compiling.translate("extern __shared__ __align__(16) unsigned char bytes[];\n__shared__ T<a, 2> x[3][4], y;")
    assert text.count("\n") == 1
    assert "unsigned char* const bytes = (unsigned char*)emu::dynamic_shared();" in text
    assert "static T<a, 2> x[3][4], y;" in text
    assert "poison_shared(&x, sizeof x" in text
    assert "poison_shared(&y, sizeof y" in text


def test_random_orders_can_be_repeated(cp, launch):
    def run(seed):
        out = cp.zeros(64)
        with fake_cupy.control.set(order_seed=seed):
            launch("sums_in_turn", 64, 64, out)
        return out.get()[0]

    assert run(5) == run(5)
    assert_allclose(run(5), run(6), rtol=1e-12)


ELSEWHERE = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
from emulation import compile as compiling
code = "__global__ void f(int* x) { __syncthreads(); x[threadIdx.x] = __shfl_xor_sync(~0u, (int)threadIdx.x, 1); }"
numbers = (ctypes.c_int * 64)()
compiling.Library(code, ["f"]).launch(0, (1, 1, 1), (64, 1, 1), 0, [ctypes.c_void_p(ctypes.addressof(numbers))])
assert list(numbers) == [i ^ 1 for i in range(64)]
"""


def test_fibers_of_the_c_library():
    """What changes fibers on processors that the assembly is not for."""
    flags = {**os.environ, "EMULATION_FLAGS": "-DEMU_UCONTEXT"}
    folder = str(Path(__file__).parents[1])
    subprocess.run([sys.executable, "-c", ELSEWHERE, folder], env=flags, check=True)
