"""Builds a shared library from the text of a .cu file, with g++, and launches its kernels."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).parent
COMPILER = os.environ.get("CXX", "g++")
# No contraction: the compiler alone decides about it here, NVRTC there.
# EMULATION_FLAGS: for trying out the parts for other machines, such as -DEMU_UCONTEXT.
MORE = os.environ.get("EMULATION_FLAGS", "").split()
FLAGS = ["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-exceptions", "-w", *MORE]
CHECKED = ["-g", "-fsanitize=thread", "-DEMU_CHECK"]


class KernelError(RuntimeError):
    """A kernel broke a rule: barriers, warp primitives, shared memory."""


@functools.cache
def missing_compiler():
    """Why kernels cannot be compiled here, or None."""
    if shutil.which(COMPILER) is None:
        return f"no C++ compiler: {COMPILER} is not on PATH"
    if os.name != "posix":
        return "the shim needs mmap"
    return None


# ---------------------------------------------------------------------------------------------
# Source text: what a macro cannot do


def _without_comments(text):
    """The text with comments and string literals blanked, character for character."""
    pattern = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)


DYNAMIC = re.compile(
    r"extern\s+__shared__\s+(?:__align__\s*\([^)]*\)\s+|alignas\s*\([^)]*\)\s+)?([\w\s:<>]+?)\s+(\w+)\s*\[\s*\]\s*;"
)
STATIC = re.compile(r"__shared__\s+([^;]+);")


def translate(text):
    """Rewrite declarations of shared memory; every other construct is C++ with the macros of shim.h."""
    code = _without_comments(text)
    if found := re.search(r"^[ \t]*#[ \t]*include.*", code, re.MULTILINE):
        raise KernelError(f"NVRTC has no headers to include: {found[0].strip()}")
    edits = {
        match.span(): f"{match[1]}* const {match[2]} = ({match[1]}*)emu::dynamic_shared();"
        for match in DYNAMIC.finditer(code)
    }
    dynamic = {stop for _, stop in edits}
    edits |= {m.span(): _static_shared(m[1]) for m in STATIC.finditer(code) if m.end() not in dynamic}
    for (start, stop), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new + "\n" * text.count("\n", start, stop) + text[stop:]
    return text


def _static_shared(declaration):
    names = [re.search(r"(\w+)\s*(?:\[.*)?$", part.strip(), re.DOTALL)[1] for part in _split(declaration)]
    marks = "".join(
        f" static uint64_t emu_of_{name}; emu::poison_shared(&{name}, sizeof {name}, emu_of_{name});" for name in names
    )
    return f"static {declaration};{marks}"


def _split(declaration):
    """Split declarators at the commas that stand outside all brackets."""
    parts, depth = [""], 0
    for letter in declaration:
        depth += (letter in "[(<{") - (letter in "])>}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


# ---------------------------------------------------------------------------------------------
# Building


def _cache():
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    folder = Path(tempfile.gettempdir()) / f"gpumetrics-emulation-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != user:
        raise KernelError(f"{folder} belongs to somebody else: libraries in it are not to be trusted")
    return folder


@functools.cache
def _toolchain():
    version = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    sources = [
        (HERE / name).read_text()
        for name in ("shim.h", "runtime.cpp", "runtime.h", "fibers.h", "problems.h", "checker.h")
    ]
    return "\0".join([version, platform.machine(), str(FLAGS), str(CHECKED), *sources])


def _build(suffix, key, make):
    """Return the file that `make` writes, from the cache where it is there already."""
    path = _cache() / (hashlib.sha256((_toolchain() + "\0" + key).encode()).hexdigest()[:32] + suffix)
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=_cache()) as folder:
            made = Path(folder) / f"made{suffix}"
            make(Path(folder), made)
            made.replace(path)  # in one step, so that another process never sees half a file
    return path


def _run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise KernelError(f"{COMPILER} failed:\n{done.stderr[:4000]}")


def _runtime(*, check):
    flags = ["-DEMU_CHECK", "-g"] if check else []
    return _build(
        ".o",
        f"runtime {flags}",
        lambda _, made: _run(COMPILER, *FLAGS, *flags, "-I", HERE, "-c", HERE / "runtime.cpp", "-o", made),
    )


def build(text, names, *, check=False):
    """Compile the text of a .cu file; return the path of the library."""
    table = ", ".join(f'emu::kernel("{name}", &{name})' for name in names)
    lines = ['#include "shim.h"', '#line 1 "kernel.cu"', translate(text)]
    lines += ["extern const emu::Kernel emu_kernels[];", f"const emu::Kernel emu_kernels[] = {{{table}}};"]
    source = "\n".join(lines)
    runtime = _runtime(check=check)

    def make(folder, made):
        (folder / "kernel.cpp").write_text(source)
        compiled = folder / "kernel.o"
        flags = FLAGS + (CHECKED if check else [])
        _run(COMPILER, *flags, "-I", HERE, "-c", folder / "kernel.cpp", "-o", compiled)
        _run(COMPILER, "-shared", compiled, runtime, "-o", made)

    return _build(".so", f"{check}\0{source}", make)


class _Range(ctypes.Structure):
    _fields_ = [
        ("start", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("element", ctypes.c_uint64),
        ("argument", ctypes.c_uint64),
    ]


class Library:
    """The kernels of one .cu file."""

    def __init__(self, text, names, *, check=False):
        self.names = list(names)
        self.lib = ctypes.CDLL(str(build(text, self.names, check=check)))
        self.lib.emu_argument.restype = ctypes.c_char_p
        self.lib.emu_argument.argtypes = [ctypes.c_int, ctypes.c_int]
        self.lib.emu_launch.restype = ctypes.c_char_p
        self.lib.emu_launch.argtypes = [
            ctypes.c_int,
            ctypes.c_uint * 3,
            ctypes.c_uint * 3,
            ctypes.c_size_t,
            ctypes.c_void_p,
            ctypes.c_uint64,
        ]
        self.lib.emu_watch.restype = None
        self.lib.emu_watch.argtypes = 2 * [ctypes.POINTER(_Range), ctypes.c_size_t]
        self.arguments = [self._arguments(i) for i in range(len(self.names))]
        self._lock = threading.Lock()  # the scheduler's state is that of one launch

    def _arguments(self, kernel):
        types = []
        while (text := self.lib.emu_argument(kernel, len(types))) is not None:
            types.append(text.decode())
        return types

    def launch(self, kernel, grid, block, shared_bytes, values, seed=None, blocks=(), parts=()):
        """Run a kernel; `values` are ctypes objects, one an argument.

        It may touch `parts` of `blocks` of memory, of (address, bytes, size of elements, position of argument) each:
        only a checked library looks at them.
        """
        watched = []
        for ranges in (blocks, parts):
            watched += [(_Range * max(1, len(ranges)))(*ranges), len(ranges)]
        pointers = (ctypes.c_void_p * max(1, len(values)))(*(ctypes.addressof(value) for value in values))
        three = ctypes.c_uint * 3
        # Only seeds from 1 are orders of their own.
        order = 0 if seed is None else seed + 1
        with self._lock:
            self.lib.emu_watch(*watched)
            problem = self.lib.emu_launch(kernel, three(*grid), three(*block), shared_bytes, pointers, order)
            if problem is not None:
                raise KernelError(problem.decode())


@functools.cache
def library(text, names, *, check=False):
    """The library of a .cu file, loaded once a process."""
    return Library(text, names, check=check)
