//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Serves the digits model over HTTP. Links libcoil_loader.so and cpp-httplib:
// no compiler, no LLVM.
//
//   coil-http-server <model.coilpkg> [port] [threads]
//
//   POST /classify         n images as n * 64 floats; gives n * 10 floats, and
//                          the number of the set of weights as X-Weights
//   PUT  /weights/<name>   stages elements of a weight
//   POST /weights/file     stages the weights of the file that the body names
//   POST /weights/swap     prepares what is staged and puts it to use
//   GET  /status           as JSON
//   POST /stop
//
// Each connection is a session of its own and has a thread while it lasts; all
// share the code and the weights. What fails leaves the weights in use as they
// are, and answers with 409 and the reason. Port 0, the default, takes a free
// one; the first line of the output says which.
//
//===----------------------------------------------------------------------===//

#include "digits.h"

#include <httplib.h>

#include <atomic>
#include <map>
#include <mutex>

using namespace digits;

namespace {

class Server {
public:
  explicit Server(const char *path) : program(load(path)) {
    for (size_t i = 0; i < coil_program_num_weights(program.get()); ++i) {
      coil_weight weight;
      char *error = nullptr;
      check("weight",
            coil_program_get_weight(program.get(), i, &weight, &error), error);
      weights[weight.name] = weight;
    }
  }

  void serve(int port, size_t threads);

private:
  /// Answers 200, or 409 with what went wrong.
  static void answer(int32_t status, char *error, httplib::Response &response) {
    response.status = status == COIL_API_OK ? 200 : 409;
    if (error)
      response.set_content(error, "text/plain");
    coil_string_free(error);
  }

  void classify(const httplib::Request &request, httplib::Response &response);
  void stage(const std::string &name, const std::string &bytes,
             httplib::Response &response);
  void describe(httplib::Response &response);

  Program program;
  /// Names and shapes; the elements are those of the first set.
  std::map<std::string, coil_weight> weights;
  /// Of who exchanges weights; requests do not wait for it.
  std::mutex updates;
  std::atomic<uint64_t> numRequests{0}, numSwaps{0};
};

void Server::classify(const httplib::Request &request,
                      httplib::Response &response) {
  ++numRequests;
  constexpr size_t bytes = kPixels * sizeof(float);
  if (request.body.empty() || request.body.size() % bytes != 0) {
    response.status = 400;
    response.set_content("expected images of 64 floats", "text/plain");
    return;
  }
  auto count = int64_t(request.body.size() / bytes);
  // A body begins where the library has put it.
  std::vector<float> images(size_t(count * kPixels));
  std::memcpy(images.data(), request.body.data(), request.body.size());
  char *error = nullptr;
  Result result = run(program.get(), images.data(), count, &error);
  if (!result)
    return answer(COIL_API_RUN, error, response);
  response.set_header("X-Weights",
                      std::to_string(coil_result_weights(result.get())));
  response.set_content(reinterpret_cast<const char *>(getLogits(result)),
                       size_t(count * kDigits) * sizeof(float),
                       "application/octet-stream");
}

void Server::stage(const std::string &name, const std::string &bytes,
                   httplib::Response &response) {
  coil_weight weight = {};
  auto found = weights.find(name);
  if (found != weights.end())
    weight = found->second;
  // The library says that there is no such weight, or that it is too short.
  std::vector<float> elements(bytes.size() / sizeof(float));
  std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(float));
  weight.name = name.c_str();
  weight.tensor.data = elements.data();
  weight.num_bytes = bytes.size();
  char *error = nullptr;
  std::lock_guard<std::mutex> lock(updates);
  int32_t status =
      coil_program_update_weights(program.get(), &weight, 1, nullptr, &error);
  answer(status, error, response);
}

void Server::describe(httplib::Response &response) {
  coil_weights_info info;
  coil_program_get_weights_info(program.get(), &info);
  response.set_content("{\"requests\": " + std::to_string(numRequests) +
                           ", \"swaps\": " + std::to_string(numSwaps) +
                           ", \"weights\": " + std::to_string(info.active) +
                           ", \"sets\": " + std::to_string(info.num_sets) +
                           "}\n",
                       "application/json");
}

void Server::serve(int port, size_t threads) {
  httplib::Server server;
  server.new_task_queue = [threads] {
    return new httplib::ThreadPool(threads);
  };
  server.set_tcp_nodelay(true);
  // A session lasts as long as its client wants.
  server.set_keep_alive_max_count(size_t(1) << 31);
  server.Post("/classify", [&](const httplib::Request &request,
                               httplib::Response &response) {
    classify(request, response);
  });
  server.Put(R"(/weights/([\w.]+))",
             [&](const httplib::Request &request, httplib::Response &response) {
               stage(request.matches[1], request.body, response);
             });
  server.Post("/weights/file", [&](const httplib::Request &request,
                                   httplib::Response &response) {
    char *error = nullptr;
    std::lock_guard<std::mutex> lock(updates);
    int32_t status = coil_program_update_weights_from_file(
        program.get(), request.body.c_str(), &error);
    answer(status, error, response);
  });
  server.Post("/weights/swap", [&](const httplib::Request &,
                                   httplib::Response &response) {
    char *error = nullptr;
    std::lock_guard<std::mutex> lock(updates);
    int32_t status = coil_program_prepare_weights(program.get(), &error);
    if (status == COIL_API_OK)
      status = coil_program_swap_weights(program.get(), &error);
    // Runs that have begun keep the set before it.
    if (status == COIL_API_OK) {
      coil_program_drop_weights(program.get());
      ++numSwaps;
    }
    answer(status, error, response);
  });
  server.Get("/status",
             [&](const httplib::Request &, httplib::Response &response) {
               describe(response);
             });
  server.Post("/stop", [&](const httplib::Request &, httplib::Response &) {
    server.stop();
  });
  if (port == 0)
    port = server.bind_to_any_port("127.0.0.1");
  else if (!server.bind_to_port("127.0.0.1", port))
    port = -1;
  if (port < 0) {
    std::fprintf(stderr, "error: cannot listen on this port\n");
    std::exit(1);
  }
  std::printf("listening on 127.0.0.1:%d\n", port);
  std::fflush(stdout);
  server.listen_after_bind();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr,
                 "usage: coil-http-server <model.coilpkg> [port] [threads]\n");
    return 2;
  }
  // Each request has one thread; requests share the processors.
  coil_set_num_threads(1);
  Server server(argv[1]);
  server.serve(argc > 2 ? std::atoi(argv[2]) : 0,
               size_t(std::max(argc > 3 ? std::atoi(argv[3]) : 8, 2)));
  return 0;
}
