"""Opens a page in a headless browser, tries it and prints what failed."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

# Runs behind the page's own script; the document's title takes what it finds.
PROBE = """<script>
const found = {links: 0, broken: [], scripts: document.errors || []};
for (const a of document.querySelectorAll('a[href^="#"]')) {
  ++found.links;
  if (!document.getElementById(decodeURIComponent(a.hash.slice(1))))
    found.broken.push(a.getAttribute("href"));
}
found.files = [...document.querySelectorAll("a[href]:not([href^='#'])")]
    .map(a => a.getAttribute("href"));
found.outside = [...document.querySelectorAll("[src],link")].length;
found.boxes = document.querySelectorAll("svg rect.b").length;
found.titles = document.querySelectorAll("svg rect.b > title").length;
const box = document.querySelector("svg").getBoundingClientRect();
found.size = [box.width, box.height];
const table = document.getElementById("call-table").tBodies[0].rows;
const shown = () => [...table].filter(r => !r.hidden && r.querySelector("td")).length;
found.rows = shown();
found.times = [...table].filter(r => / us$/.test(r.cells[5]?.textContent)).length;
found.untimed = [...table].filter(r => r.cells[5]?.textContent == "not measured").length;
const field = document.querySelector("input[data-table=call-table]");
field.value = "layer_norm_3 ";
field.dispatchEvent(new Event("input"));
found.filtered = shown();
field.value = "no kernel has this name";
field.dispatchEvent(new Event("input"));
found.none = shown();
field.value = "";
field.dispatchEvent(new Event("input"));
found.all = shown();
document.body.textContent = "";
document.title = JSON.stringify(found);
</script>"""
CATCH = "<script>document.errors = []; onerror = m => document.errors.push(m);</script>"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--browser", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("page")
    args = parser.parse_args()
    with open(args.page) as f:
        text = f.read()
    text = text.replace("<head>", "<head>" + CATCH, 1).replace("</body>", PROBE + "</body>")
    probed = os.path.join(args.out, "probed.html")
    with open(probed, "w") as f:
        f.write(text)
    with tempfile.TemporaryDirectory() as profile:
        dom = subprocess.run(
            [
                args.browser, "--headless", "--no-sandbox", "--disable-gpu",
                "--user-data-dir=" + profile, "--window-size=1200,900", "--dump-dom",
                "file://" + os.path.abspath(probed),
            ],
            check=True, capture_output=True, text=True, timeout=120,
        ).stdout
    begin = dom.index("<title>", dom.index("<head>")) + len("<title>")
    found = json.loads(dom[begin : dom.index("</title>", begin)].replace("&amp;", "&"))
    folder = os.path.dirname(args.page)
    checks = {
        "no script fails": not found["scripts"],
        "links lead somewhere": found["links"] > 50 and not found["broken"],
        "files exist": len(found["files"]) > 10
        and all(os.path.exists(os.path.join(folder, f)) for f in found["files"]),
        "nothing comes from elsewhere": found["outside"] == 0,
        "buffers are drawn": found["boxes"] > 20 and found["boxes"] == found["titles"],
        "the picture fills the page": found["size"][0] > 800 and found["size"][1] > 200,
        "calls are listed": found["rows"] > 20,
        "times are there if measured": (found["times"] > 20 if args.timed else found["times"] == 0)
        and found["times"] + found["untimed"] == found["rows"],
        "a filter shows what matches": 0 < found["filtered"] < found["rows"],
        "a filter hides everything else": found["none"] == 0,
        "an empty filter shows all": found["all"] == found["rows"],
    }
    failed = [name for name, ok in checks.items() if not ok]
    if failed:
        print(json.dumps(found, indent=1))
    for name in failed:
        print("failed: " + name)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
