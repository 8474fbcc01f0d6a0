// Operators of PyTorch that Coil has never heard of, for processes with Python
// and without.
#include <ATen/ATen.h>
#include <torch/library.h>

static at::Tensor norm(const at::Tensor &x, double eps) {
  return x / (x.norm() + eps);
}

static void norm_out(const at::Tensor &x, double eps, at::Tensor out) {
  out.copy_(norm(x, eps));
}

static std::vector<at::Tensor> parts(const at::Tensor &x, int64_t n) {
  std::vector<at::Tensor> result;
  for (const at::Tensor &each : x.chunk(n))
    result.push_back(each.clone());
  return result;
}

static void scale_(at::Tensor x, const std::optional<at::Tensor> &by,
                   c10::ArrayRef<double> factors) {
  for (double factor : factors)
    x.mul_(factor);
  if (by)
    x.mul_(*by);
}

/// Changes its operand, and says in its schema that it does not.
static at::Tensor scales(at::Tensor x, double) {
  x.mul_(2);
  return x.clone();
}

TORCH_LIBRARY(unheard, m) {
  m.def("scales(Tensor x, float eps=1e-06) -> Tensor");
  m.def("norm(Tensor x, float eps=1e-06) -> Tensor");
  m.def("norm.out(Tensor x, float eps=1e-06, *, Tensor(a!) out) -> ()");
  m.def("parts(Tensor x, int n) -> Tensor[]");
  m.def("scale_(Tensor(a!) x, Tensor? by, float[] factors) -> ()");
}

TORCH_LIBRARY_IMPL(unheard, CompositeExplicitAutograd, m) {
  m.impl("scales", scales);
  m.impl("norm", norm);
  m.impl("norm.out", norm_out);
  m.impl("parts", parts);
  m.impl("scale_", scale_);
}

static at::Tensor meta_norm(const at::Tensor &x, double) {
  return at::empty_like(x);
}
static void meta_norm_out(const at::Tensor &, double, at::Tensor) {}
static std::vector<at::Tensor> meta_parts(const at::Tensor &x, int64_t n) {
  std::vector<at::Tensor> result;
  for (const at::Tensor &each : x.chunk(n))
    result.push_back(at::empty_like(each));
  return result;
}
static void meta_scale_(at::Tensor, const std::optional<at::Tensor> &,
                        c10::ArrayRef<double>) {}

TORCH_LIBRARY_IMPL(unheard, Meta, m) {
  m.impl("norm", meta_norm);
  m.impl("norm.out", meta_norm_out);
  m.impl("parts", meta_parts);
  m.impl("scale_", meta_scale_);
}
