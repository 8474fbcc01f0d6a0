# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens the built site in a headless browser, searches it, and takes screenshots.

    site.py --browser=CHROMIUM --out=DIR SITE

The site is served on a port of this machine; a request to any other machine fails
the test. The browser is driven through its pipe (Chrome DevTools Protocol).
"""
import argparse
import base64
import fcntl
import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time


def high_pipe() -> tuple[int, int]:
    """A pipe whose descriptors are not those that the browser uses."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return ends[0], ends[1]


class Browser:
    """A page of a headless browser."""

    def __init__(self, program: str, profile: str):
        # The browser reads commands from descriptor 3 and writes answers to 4, each ended by a zero byte.
        to_read, self.to_write = high_pipe()
        self.from_read, from_write = high_pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{to_read} 4>&{from_write} && exec "$@"', "browser", program, "--headless=new",
             "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir=" + profile,
             "--window-size=1400,1000", "about:blank"],
            pass_fds=(to_read, from_write), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest, self.requests, self.errors = 0, b"", [], []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(domain + ".enable")

    def call(self, method: str, **params) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                if not (more := os.read(self.from_read, 1 << 16)):
                    sys.exit("the browser has ended")
                self.rest += more
            text, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(text)
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"]["text"])
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, script: str):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def wait_for(self, script: str, seconds: float = 30):
        """The value of a script as soon as it is true."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(script)):
            if time.monotonic() > end:
                sys.exit(f"not within {seconds} s: {script}")
            time.sleep(0.1)
        return value

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait_for(f"document.readyState == 'complete' && location.href == {json.dumps(url)}")

    def screenshot(self, path: pathlib.Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        self.call("Browser.close")
        self.process.wait(30)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("site")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=args.site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_port}/"

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(args.browser, profile)
        browser.open(root + "gpu/PersistentKernels.html")
        checks = {
            "the page has its title": browser.evaluate("document.querySelector('h1').innerText").startswith("Persistent kernels"),
            "the page has the style sheet": browser.evaluate("getComputedStyle(document.querySelector('.md-header')).position") == "sticky",
            "tables are tables": browser.evaluate("document.querySelectorAll('article table td').length") > 4,
            "lists are lists": browser.evaluate("document.querySelectorAll('article ul li').length") > 2,
            "nothing sticks out": browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth"),
        }
        browser.screenshot(args.out / "page.png")
        browser.open(root + "reference/passes/Loop.html")
        checks["code is highlighted"] = browser.evaluate("document.querySelectorAll('.highlight').length") > 5
        browser.screenshot(args.out / "reference.png")
        browser.open(root + "index.html")
        box = browser.evaluate("document.querySelector('.md-search__input').getBoundingClientRect().toJSON()")
        for event in ("mousePressed", "mouseReleased"):
            browser.call("Input.dispatchMouseEvent", type=event, button="left", clickCount=1,
                         x=box["x"] + box["width"] / 2, y=box["y"] + box["height"] / 2)
        browser.call("Input.insertText", text="persistent kernels")
        results = browser.wait_for(
            "[...document.querySelectorAll('a.md-search-result__link')].map(a => new URL(a.href).pathname)"
            ".filter((u, i, all) => all.length > 3)")
        # The list of results unfolds.
        browser.wait_for("document.querySelector('a.md-search-result__link').getBoundingClientRect().bottom < window.innerHeight"
                         " && document.querySelector('.md-search__scrollwrap').clientHeight > 100")
        browser.screenshot(args.out / "search.png")
        checks["the search finds the page first"] = results[:1] == ["/gpu/PersistentKernels.html"]
        checks["nothing comes from elsewhere"] = not [
            url for url in browser.requests if not url.startswith((root, "data:", "blob:", "about:"))]
        checks["no script fails"] = not browser.errors
        browser.close()
    server.shutdown()
    failed = [name for name, passed in checks.items() if not passed]
    for name in failed:
        print("failed:", name)
    print("search results:", *results[:3])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
