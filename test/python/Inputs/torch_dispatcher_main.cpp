// Runs an emitted program whose operators PyTorch's dispatcher has, without
// Python: x is 6 x 4 numbers from -9 on.
#include "coil/Runtime/Functions.h"
#include "model.h"

#include <cstdio>

int main(int argc, char **argv) {
  auto fail = [] {
    std::fprintf(stderr, "error: %s\n", coil_last_error());
    return 1;
  };
  if (argc > 1 && coil_load_functions(argv[1]))
    return fail();
  float x[24];
  for (int i = 0; i < 24; ++i)
    x[i] = float(i - 9);
  const int64_t sizes[] = {6, 4}, strides[] = {4, 1};
  coil_tensor input = {x, sizes, strides, 2, COIL_F32, COIL_CPU, 0}, outputs[2];
  coil_run *run = nullptr;
  if (coil_run_create(&run) || model_bind(run, 0, nullptr) ||
      model_main(run, &input, 1, outputs, 2))
    return fail();
  for (const coil_tensor &output : outputs) {
    int64_t count = 1;
    for (int i = 0; i < output.rank; ++i)
      count *= output.sizes[i];
    for (int64_t i = 0; i < count; ++i)
      std::printf("%.9g ", static_cast<const float *>(output.data)[i]);
    std::printf("\n");
  }
  coil_run_destroy(run);
}
