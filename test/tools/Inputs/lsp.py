"""Opens a document with an error in a language server; prints what it says."""

import json
import subprocess
import sys

TEXT = """
func.func @f(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = graph.add %a, %b : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def frame(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


messages = [
    {"id": 1, "method": "initialize", "params": {"processId": 1, "rootUri": "", "capabilities": {}}},
    {
        "method": "textDocument/didOpen",
        "params": {
            "textDocument": {"uri": "test:///f.mlir", "languageId": "mlir", "version": 1, "text": TEXT}
        },
    },
    {"id": 2, "method": "shutdown"},
    {"method": "exit"},
]
result = subprocess.run(
    [sys.argv[1]],
    input=b"".join(frame(m) for m in messages),
    stdout=subprocess.PIPE,
    stderr=subprocess.DEVNULL,
    timeout=60,
)
for part in result.stdout.decode().split("Content-Length:"):
    line = part.partition("\r\n\r\n")[2]
    if line:
        print(line)
