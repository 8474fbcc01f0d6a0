// RUN: not coil-opt %s --wrapper-plan-memory=mode=pool 2>&1 | FileCheck %s
// CHECK: unknown mode 'pool', expected 'reuse' or 'none'
