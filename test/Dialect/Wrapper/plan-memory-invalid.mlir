// RUN: not coil-opt %s --wrapper-plan-memory=mode=best 2>&1 | FileCheck %s
// CHECK: unknown mode 'best', expected 'pool', 'reuse' or 'none'
