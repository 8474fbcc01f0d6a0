"""Starts coil-http-server with a package on a free port, puts it under load, and
stops it: serve_http.py BIN PACKAGE IMAGES REQUESTS SWAPS [SESSIONS]. Prints what
coil-http-load prints, and exits as it does."""

import os
import subprocess
import sys


def main():
    binaries, package, images, requests, swaps, *sessions = sys.argv[1:]
    server = subprocess.Popen([os.path.join(binaries, "coil-http-server"), package], stdout=subprocess.PIPE, text=True)
    try:
        port = server.stdout.readline().strip().rpartition(":")[2]
        load = [os.path.join(binaries, "coil-http-load"), package, images, port, requests, swaps, *sessions]
        status = subprocess.run(load, check=False).returncode
        return server.wait(timeout=20) or status
    finally:
        server.kill()


if __name__ == "__main__":
    sys.exit(main())
