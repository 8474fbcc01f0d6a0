# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Process groups: what programs do together with programs on other ranks."""

import atexit
import contextlib
import ctypes
import datetime
import itertools
import sys

from coil._functions import View
from coil._library import CTensor, InputError, library
from coil._tensor import CPU, CUDA, torch_stream

_vp, _i32, _i64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64


class _Collective(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("kind", _i32),
        ("reduce", _i32),
        ("root", _i32),
        ("source", ctypes.POINTER(CTensor)),
        ("target", ctypes.POINTER(CTensor)),
        ("source_splits", ctypes.POINTER(_i64)),
        ("target_splits", ctypes.POINTER(_i64)),
        ("stream", _vp),
        ("where", ctypes.c_char_p),
    ]


_Start = ctypes.CFUNCTYPE(_i32, _vp, ctypes.POINTER(_Collective), ctypes.POINTER(_vp))
_Wait = ctypes.CFUNCTYPE(_i32, _vp, _vp, _vp)
_Abort = ctypes.CFUNCTYPE(None, _vp, _vp)
_Alloc = ctypes.CFUNCTYPE(_i32, _vp, _i32, _i64, ctypes.POINTER(_vp))
_Free = ctypes.CFUNCTYPE(None, _vp, _vp)


class _Group(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("device_type", _i32),
        ("name", ctypes.c_char_p),
        ("rank", _i32),
        ("size", _i32),
        ("start", _Start),
        ("wait", _Wait),
        ("abort", _Abort),
        ("alloc", _Alloc),
        ("free", _Free),
        ("user", _vp),
    ]


for _name, _arguments in (
    ("coil_register_process_group", [ctypes.POINTER(_Group)]),
    ("coil_unregister_process_group", [ctypes.c_char_p, _i32]),
    ("coil_local_groups_create", [_i32, ctypes.c_char_p, _i64, ctypes.POINTER(_vp)]),
    ("coil_local_groups_get", [_vp, _i32, _i32, ctypes.POINTER(_Group)]),
    ("coil_enter_process_group", [ctypes.POINTER(_Group)]),
    ("coil_leave_process_group", [ctypes.c_char_p, _i32]),
    ("coil_nccl_get_unique_id", [ctypes.c_char_p]),
    ("coil_nccl_group_create",
     [ctypes.c_char_p, ctypes.c_char_p, _i32, _i32, _i32, _i64, ctypes.POINTER(_vp)]),
    ("coil_rt_fail", [_vp, _i32, ctypes.c_char_p]),
    ("coil_run_abandon", [_vp]),
):
    getattr(library, _name).restype = _i32
    getattr(library, _name).argtypes = _arguments
library.coil_local_groups_destroy.argtypes = [_vp]
library.coil_local_groups_destroy.restype = None
library.coil_nccl_group_get.argtypes = [_vp]
library.coil_nccl_group_get.restype = ctypes.POINTER(_Group)
library.coil_nccl_group_destroy.argtypes = [_vp]
library.coil_nccl_group_destroy.restype = None

_UNAVAILABLE = 5
ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST = range(5)
_AVERAGE = 1
_DEVICES = {"cpu": CPU, "cuda": CUDA}


def _check(status):
    if status:
        raise InputError(library.coil_last_error().decode())


class _TorchGroup:
    """A group of torch.distributed as the runtime knows groups."""

    def __init__(self, name, group, device, time_limit):
        import torch
        import torch.distributed as dist

        self.torch, self.dist = torch, dist
        self.name, self.device = name, device
        self.group = group if group is not None else dist.group.WORLD
        self.rank, self.size = dist.get_rank(self.group), dist.get_world_size(self.group)
        self.timeout = datetime.timedelta(seconds=time_limit) if time_limit else None
        self.has_average = "nccl" in str(dist.get_backend(self.group))
        self.works, self.numbers = {}, itertools.count(1)
        self.memory = {}
        self.description = _Group(
            ctypes.sizeof(_Group),
            _DEVICES[device],
            name.encode(),
            self.rank,
            self.size,
            _Start(self._guard(self.start)),
            _Wait(self._guard(self.wait)),
            _Abort(self.abort),
            _Alloc(self._guard(self.alloc)),
            _Free(self.free),
            None,
        )

    @staticmethod
    def _guard(function):
        """Nothing passes through the compiled program but a status."""

        def enter(*args):
            try:
                return function(*args)
            except BaseException as error:
                text = f"{type(error).__name__}: {error}"
                return library.coil_rt_fail(None, _UNAVAILABLE, text.encode("utf-8", "replace"))

        return enter

    @contextlib.contextmanager
    def _on_stream(self, stream, tensor):
        if self.device != "cuda":
            yield
            return
        cuda, index = self.torch.cuda, tensor.device.index
        with cuda.device(index), cuda.stream(torch_stream(stream, index)):
            yield

    def _reduce(self, number):
        op = self.dist.ReduceOp
        return (op.SUM, op.AVG if self.has_average else op.SUM, op.MIN, op.MAX, op.PRODUCT)[number]

    def start(self, user, pointer, out):
        c, dist = pointer.contents, self.dist
        views = View(c.source.contents), View(c.target.contents)
        source, target = (self.torch.from_dlpack(view) for view in views)
        if source.dtype is self.torch.bool:
            source, target = (each.view(self.torch.uint8) for each in (source, target))
        divide = c.reduce == _AVERAGE and c.kind in (ALL_REDUCE, REDUCE_SCATTER) and not self.has_average
        keep = [source, target]
        with self._on_stream(c.stream, target):
            if c.kind in (ALL_REDUCE, BROADCAST) and c.source.contents.data != c.target.contents.data:
                target.copy_(source)
            if c.kind == ALL_REDUCE:
                work = dist.all_reduce(target, self._reduce(c.reduce), self.group, async_op=True)
            elif c.kind == ALL_GATHER:
                work = dist.all_gather_into_tensor(target, source, self.group, async_op=True)
            elif c.kind == REDUCE_SCATTER:
                work = dist.reduce_scatter_tensor(
                    target, source, self._reduce(c.reduce), self.group, async_op=True)
            elif c.kind == ALL_TO_ALL:
                work = dist.all_to_all_single(
                    target, source, c.target_splits[:self.size], c.source_splits[:self.size],
                    self.group, async_op=True)
            else:
                root = dist.get_global_rank(self.group, c.root)
                work = dist.broadcast(target, root, self.group, async_op=True)
        number = next(self.numbers)
        self.works[number] = work, target, divide, keep
        out[0] = number
        return 0

    def wait(self, user, number, stream):
        work, target, divide, keep = self.works.pop(number)
        with self._on_stream(stream, target):
            work.wait(self.timeout) if self.timeout and self.device == "cpu" else work.wait()
            if divide:
                target.div_(self.size)
        return 0

    def abort(self, user, number):
        # torch cannot take work back, so it has its memory until it ends or fails.
        work = self.works.pop(number)[0]
        with contextlib.suppress(Exception):
            work.wait(self.timeout) if self.timeout and self.device == "cpu" else work.wait()

    def allocate(self, kind, sizes, strides, dtype, device):
        """A tensor in memory that the group knows, or None."""
        if self.device != "cuda" or kind != "symmetric":
            return None
        try:
            from torch._C._distributed_c10d import _SymmetricMemory

            return _SymmetricMemory.empty_strided_p2p(
                sizes, strides, dtype, self.torch.device(device), self.group.group_name)
        except (ImportError, RuntimeError):  # Not on this machine, or not for this group.
            return None

    def alloc(self, user, kind, size, out):
        device = f"cuda:{self.torch.cuda.current_device()}"
        tensor = self.allocate("symmetric" if kind else "registered", (size,), (1,),
                               self.torch.uint8, device)
        if tensor is None:
            return _UNAVAILABLE
        self.memory[tensor.data_ptr()] = tensor
        out[0] = tensor.data_ptr()
        return 0

    def free(self, user, pointer):
        self.memory.pop(pointer, None)

    def close(self):
        """Forgets the group, which callbacks, that refer to this object, would keep alive.

        The threads of a group of torch must end before the interpreter does: one that
        drops a tensor of Python later waits for a lock that nothing gives it, and is
        ended there, which ends the process.
        """
        self.group = self.description = None
        self.works.clear()
        self.memory.clear()


# By name and device: what the runtime calls.
_groups = {}


def register_process_group(name, group=None, *, device=None, time_limit=None):
    """Registers a group of torch.distributed for what programs do together under a
    name, such as "0", which `torch.export` gives the first group.

    Args:
      name: the name in the program.
      group: the group; by default that of all ranks.
      device: "cpu" or "cuda": where tensors are; by default what the group's backend
        is for.
      time_limit: seconds after which a wait for other ranks fails, for tensors of
        the CPU; by default the group's own.
    """
    if "torch" not in sys.modules:
        raise InputError("groups of torch.distributed need torch, which is not imported")
    import torch.distributed as dist

    if device is None:
        backend = str(dist.get_backend(group if group is not None else dist.group.WORLD))
        devices = [each for each, word in (("cuda", "nccl"), ("cpu", "gloo")) if word in backend]
        if not devices:
            raise InputError(f"the backend '{backend}' does not say where tensors are: give a device")
        device = devices[0]
    if device not in _DEVICES:
        raise InputError(f"unknown device '{device}', expected 'cpu' or 'cuda'")
    entry = _TorchGroup(name, group, device, time_limit)
    _check(library.coil_register_process_group(ctypes.byref(entry.description)))
    _groups[name, device] = entry


@atexit.register
def _close_groups():
    for entry in _groups.values():
        entry.close()


def unregister_process_group(name, *, device="cpu"):
    """Takes a group back that no program uses any more."""
    _check(library.coil_unregister_process_group(name.encode(), _DEVICES[device]))
    if entry := _groups.pop((name, device), None):
        entry.close()


class LocalGroups:
    """`size` ranks that are threads of this process, for tensors of the CPU:

        groups = coil.LocalGroups(2, "0")
        with groups.rank(0):   # On the thread that is rank 0.
            program(x)

    A single rank can be registered for the whole process, and for GPUs, too:

        coil.LocalGroups(1, "0").register()
    """

    def __init__(self, size, name="0", time_limit=60.0):
        self._handle, self._name, self.size = _vp(), name, size
        _check(library.coil_local_groups_create(
            size, name.encode(), int(time_limit * 1000), ctypes.byref(self._handle)))
        self._registered = []

    def _get(self, rank, device):
        group = _Group()
        _check(library.coil_local_groups_get(self._handle, rank, _DEVICES[device], ctypes.byref(group)))
        return group

    @contextlib.contextmanager
    def rank(self, rank, device="cpu"):
        """Makes what the calling thread runs that of a rank."""
        _check(library.coil_enter_process_group(ctypes.byref(self._get(rank, device))))
        try:
            yield
        finally:
            _check(library.coil_leave_process_group(self._name.encode(), _DEVICES[device]))

    def register(self, device="cpu"):
        """Registers the only rank for the process."""
        if self.size != 1:
            raise InputError("a process is one rank: enter the others on threads of their own")
        _check(library.coil_register_process_group(ctypes.byref(self._get(0, device))))
        self._registered.append(device)
        _kept.append(self)
        return self


# Programs that end with the process still use them.
_kept = []


class NcclGroup:
    """A rank of a group of NCCL alone, on a GPU. CUDA graphs can hold its collectives
    (`graph-collectives=true`), unlike those of groups of torch.distributed:

        unique = coil.NcclGroup.unique_id()   # On one rank, which sends it to the others.
        group = coil.NcclGroup("0", unique, rank, size, device=rank)
        group.register()                      # For the process; or, for what a thread runs:
        with group:
            program(x)

    Args:
      name: the name in the program.
      unique_id: 128 bytes that all ranks of the group have.
      device: the number of the GPU; by default the rank.
      time_limit: seconds that this rank waits for the others, here and in each collective.
    """

    @staticmethod
    def unique_id():
        """Makes the bytes that the ranks of a group have in common."""
        text = ctypes.create_string_buffer(128)
        _check(library.coil_nccl_get_unique_id(text))
        return text.raw

    def __init__(self, name, unique_id, rank, size, device=None, time_limit=60.0):
        if len(unique_id) != 128:
            raise InputError(f"expected 128 bytes of an id but got {len(unique_id)}")
        self._handle, self.name, self.rank, self.size = _vp(), name, rank, size
        _check(library.coil_nccl_group_create(
            name.encode(), unique_id, rank, size, rank if device is None else device,
            int(time_limit * 1000), ctypes.byref(self._handle)))

    def _get(self):
        if not self._handle:
            raise InputError(f"the group '{self.name}' is closed")
        return library.coil_nccl_group_get(self._handle)

    def register(self):
        """Makes it the group of that name for all programs of the process."""
        _check(library.coil_register_process_group(self._get()))
        _kept.append(self)
        return self

    def unregister(self):
        """Takes it back; no program uses it any more."""
        _check(library.coil_unregister_process_group(self.name.encode(), CUDA))
        _kept.remove(self)

    def __enter__(self):
        _check(library.coil_enter_process_group(self._get()))
        return self

    def __exit__(self, *unused):
        _check(library.coil_leave_process_group(self.name.encode(), CUDA))

    def close(self):
        """Ends the group, which is registered nowhere; what graphs have of it ends with them."""
        if self in _kept:
            raise InputError(f"the group '{self.name}' is still registered")
        library.coil_nccl_group_destroy(self._handle)
        self._handle = _vp()

    def __del__(self):
        # At the end of the process programs may still have it.
        if getattr(self, "_handle", None) and not sys.is_finalizing():
            library.coil_nccl_group_destroy(self._handle)


def allocate(group, kind, sizes, strides, dtype, device):
    """A tensor in memory of a group, or None where it has none."""
    entry = _groups.get((group, str(device).partition(":")[0]))
    return entry and entry.allocate(kind, sizes, strides, dtype, device)
