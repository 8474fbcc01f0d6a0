// RUN: coil-translate --wrapper-to-python %s | FileCheck %s --check-prefix=PY
// RUN: coil-translate --wrapper-to-fx %s | FileCheck %s --check-prefix=FX
// RUN: coil-opt --coil-kernel-pipeline %s | coil-translate --wrapper-to-cpp | FileCheck %s --check-prefix=CPP

// What is around a program, in each language. F06: comments are text in text, and in no graph; what is
// dropped is deleted, in front of the first step if nothing uses it.

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
!o = !wrapper.object<"mylib::Queue">

// PY-LABEL:  def main(args):
// PY:          host.check_input(u, "u"
// PY-NEXT:     del u
// PY-NEXT:     # first "things"
// PY-NEXT:     host.call("coil::assert_aligned", "tis", (x, 64, "x")
// PY-NEXT:     with host.profile_range("work"):
// PY-NEXT:         buf0 = empty_strided(
// PY-NEXT:         buf0.copy_(x)
// PY-NEXT:         del x
// PY-NEXT:     host.call("coil::hook", "tss", (buf0, "copy:0", "out0")
// PY-NEXT:     object0 = host.bound_object("queue", "mylib::Queue")
// PY-NEXT:     # [mylib::Queue.push:0]
// PY-NEXT:     host.call("mylib::Queue.push", "oti", (object0, buf0, 4)
// PY-NEXT:     del object0
// PY-NEXT:     host.call("coil::rng_seed", "i", (42,)
// PY-NEXT:     buf1, = host.call("coil::rng_state", "", ()
// PY-NEXT:     host.call("coil::rng_advance", "i", (8,)
// PY-NEXT:     host.call("coil::rng_advance_to", "t", (buf1,)
// PY-NEXT:     with host.profile_range("nothing"):
// PY-NEXT:         pass
// PY-NEXT:     return (buf0, buf1)

// FX-LABEL:  def build_main():
// FX-NOT:      things
// FX:          g.check(host.call, "coil::assert_aligned", "tis", (x, 64, "x")
// FX-NEXT:     g.check(host.begin_range, "work")
// FX:          g.check(host.end_range)
// FX-NEXT:     g.check(host.call, "coil::hook", "tss", (buf0, "copy:0", "out0")
// FX-NEXT:     object0 = g.call(host.bound_object, "queue", "mylib::Queue", val=None)
// FX:          g.check(host.call, "mylib::Queue.push", "oti", (object0, buf0, 4)
// FX:          g.check(host.begin_range, "nothing")
// FX-NEXT:     g.check(host.end_range)
// FX:          g.output(

// CPP:         COIL_TRY(coil_rt_check_input(run, &inputs[1], "u"
// CPP:         COIL_TRY(coil_rt_drop_input(run, 1));
// CPP-NEXT:    // first "things"
// CPP:         "coil::assert_aligned"
// CPP:         coil::Range range0(run);
// CPP-NEXT:    COIL_TRY(range0.begin("work"));
// CPP:         COIL_TRY(coil_rt_drop_input(run, 0));
// CPP-NEXT:    COIL_TRY(range0.end());
// CPP:         void *object0 = nullptr;
// CPP-NEXT:    COIL_TRY(coil::boundObject(run, "queue", "mylib::Queue", object0));
// CPP:         coil::objectArgument(object0)
// CPP:         COIL_TRY(coil::dropObject(run, object0));

wrapper.func @main(%x: !b {coil.name = "x"}, %u: !b {coil.name = "u"}) -> (!b, !r) {
  wrapper.drop %u : !b
  wrapper.comment "first \22things\22"
  wrapper.assert_aligned %x to 64, "x" : !b
  %0 = wrapper.profile_range "work" -> (!b) {
    %1 = wrapper.alloc : !b
    wrapper.copy %x to %1 : !b
    wrapper.drop %x : !b
    wrapper.yield %1 : !b
  }
  wrapper.hook "copy:0" "out0" %0 : !b
  %q = wrapper.bound_object "queue" : !o
  wrapper.object_call "push"(%q, %0, <4>) : (!o, !b) -> ()
  wrapper.drop %q : !o
  wrapper.rng_seed <42>
  %s = wrapper.rng_state : !r
  wrapper.rng_advance by <8>
  wrapper.rng_advance to %s : !r
  wrapper.profile_range "nothing" {
    wrapper.yield
  }
  wrapper.return %0, %s : !b, !r
}
