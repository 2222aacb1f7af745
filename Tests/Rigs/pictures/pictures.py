"""Looks at the HTML report as its readers do, in Chromium: what it shows is what the JSON report says,
it plays, it obeys the keyboard, it is readable, and it asks for nothing.

usage: pictures.py AVJOB FOLDER --axe axe.min.js [--update]

With --update the pictures that today's are compared with are made anew.
"""

import argparse
import base64
import functools
import http.server
import io
import json
import os
import statistics
import subprocess
import sys
import threading
import time

from PIL import Image, ImageChops, ImageStat

sys.dont_write_bytecode = True

import lists
import pages
import sounds
from browser import Browser
from looking import PIXELS, Checks, opened, show_all, shown_jobs

OWN = os.path.dirname(os.path.abspath(__file__))
# Greatest mean difference of two pictures, of 255. Another Chromium's edges of letters are less, another
# font, a line that has moved, or a part that is missing are more.
TOLERANCE = 2


# ---- For everyone ----

def axe(browser, source):
    """What axe-core finds: by the rules of WCAG 2.1 AA, and by what it calls good practice."""
    browser.run(source)
    return browser.wait("""axe.run(document, {preload: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa',
      'best-practice']}).then((found) => done(found.violations.map((one) =>
        `${one.id}: ${one.nodes.length} × ${one.nodes[0].html.slice(0, 160)} ${one.nodes[0].any[0]?.message ?? ''}`)))""")


def it_is_for_everyone(checks, browser, folder, source):
    for page in ("run", "plan"):
        browser.open(f"file://{folder}/{page}.html")
        for name in ("levelled", "joined", "late", "mixed", "loud", pages.HOSTILE[0]):
            browser.run("const job = [...document.querySelectorAll('.job')].find((one) =>"
                        "one.querySelector('summary').textContent.startsWith(arguments[0])); if (job) job.open = true",
                        name)
        browser.settle()
        browser.run("document.querySelectorAll('.job[open] details').forEach((part) => { part.open = true; })")
        for scheme in ("light", "dark"):
            browser.emulate(scheme)
            checks.hold(f"axe finds nothing in the page of a {page}, {scheme}", axe(browser, source), [])
        browser.emulate("light")
        browser.resize(360)
        browser.settle()
        checks.hold(f"the page of a {page} fits a screen of 360 pixels",
                    browser.run("""const wide = [...document.querySelectorAll('main *')].filter((one) =>
                      !one.closest('.scrolls *, pre') && one.getBoundingClientRect().right > innerWidth + 1);
                      return [document.scrollingElement.scrollWidth, wide.slice(0, 3).map((one) => one.outerHTML.slice(0, 99))]"""),
                    [360, []])
        browser.resize(1200)
        browser.settle()


def colours_follow(checks, browser, folder):
    browser.open(f"file://{folder}/run.html")
    canvas = browser.find("canvas.timeline")
    share = PIXELS + """const colour = parsed('done');
      let count = 0;
      for (let x = 0; x < width; x += 1) count += near(x, 4, colour);
      return [Math.round(count / width), getComputedStyle(document.body).backgroundColor]"""
    found = []
    for scheme in ("light", "dark", "light"):
        browser.emulate(scheme)
        found.append(browser.run(share, canvas))
    checks.hold("drawings take the colours of the scheme when it changes", found,
                [[1, "rgb(255, 255, 255)"], [1, "rgb(21, 23, 28)"], [1, "rgb(255, 255, 255)"]])


def it_prints(checks, browser, folder):
    opened(browser, "levelled")
    browser.emulate("light", "print")
    checks.hold("in print there are no controls", browser.run(
        "return [...document.querySelectorAll('button, input, select, audio')].filter((one) => one.checkVisibility()"
        " && getComputedStyle(one).borderTopWidth !== '0px').map((one) => one.outerHTML.slice(0, 99))"), [])
    checks.hold("in print there are the figures and the waveform", browser.run(
        "return [...document.querySelectorAll('h1, .wave, dl')].filter((one) => one.checkVisibility()).length > 4"))
    browser.emulate("light")
    browser.emulate("dark", "print")
    checks.hold("in print the ground is white, also where the screen is dark", browser.run(
        "return getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()"), "#ffffff")
    browser.emulate("light")
    document = base64.b64decode(browser.command("Page.printToPDF", printBackground=False)["data"])
    path = os.path.join(folder, "run.pdf")
    with open(path, "wb") as file:
        file.write(document)
    checks.hold("it prints as a document", [document[:5], len(document) > 10_000], [b"%PDF-", True])


def it_does_without_scripts(checks, browser, folder, report):
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.driver.get(f"file://{folder}/run.html")
    text = browser.find("main").text
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    totals = report["totals"]
    checks.hold("without scripts there is the summary", "scripts are off" in text
                and f"{totals['done']} of {totals['jobs']} jobs done, {totals['failed']} failed" in text or text)


# ---- Graphs ----

def plans_are_drawn(checks, browser, folder, avjob):
    browser.open(f"file://{folder}/plan.html")
    plan = json.loads(subprocess.run([avjob, "plan", "--json", "planned.yaml"], cwd=folder, check=True,
                                     capture_output=True).stdout)
    checks.hold("a plan lists all its jobs", len(browser.find_all(".job")), len(plan["jobs"]))
    browser.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    browser.settle()
    checks.hold("each graph has all nodes and outputs", browser.run(
        "return [...document.querySelectorAll('svg.graph')].map((one) => one.querySelectorAll('rect').length)"),
        [len(job["nodes"]) + len(job["outputs"]) for job in plan["jobs"]])
    checks.hold("boxes do not overlap, texts stay within them, and drawings have room", browser.run("""
      const wrong = [];
      for (const graph of document.querySelectorAll('svg.graph')) {
        const boxes = [...graph.querySelectorAll('g')].map((group) => [group, group.querySelector('rect').getBBox()]);
        for (const [group, box] of boxes) {
          for (const text of group.querySelectorAll('text')) {
            const own = text.getBBox();
            if (own.x + own.width > box.x + box.width || own.y + own.height > box.y + box.height) wrong.push(text.textContent);
          }
          if (box.x + box.width > graph.width.baseVal.value || box.y + box.height > graph.height.baseVal.value) wrong.push('outside');
          for (const [, other] of boxes) {
            if (other !== box && other.x < box.x + box.width && box.x < other.x + other.width
                && other.y < box.y + box.height && box.y < other.y + other.height) wrong.push('overlap');
          }
        }
      }
      return wrong"""), [])
    checks.hold("a name from right to left does not turn what stands beside it", browser.run("""
      const name = [...document.querySelectorAll('.name')].find((one) => one.textContent.includes('right to left'));
      return name.getBoundingClientRect().right <= name.nextElementSibling.getBoundingClientRect().left"""))
    checks.hold("a plan's page says nothing on the console", browser.said(), [])


# ---- Many outputs, shards ----

def many_outputs_open_quickly(checks, browser, folder, avjob, report):
    page = pages.merge(avjob, folder, pages.multiplied(report, 10_000), "many")
    size = os.path.getsize(page)
    openings, details = [], []
    for _ in range(3):
        browser.open(f"file://{page}")
        openings.append(browser.run("""return Math.max(performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd,
          performance.getEntriesByName('first-contentful-paint')[0].startTime) / 1000"""))
        details.append(browser.wait("""const start = performance.now();
          const job = [...document.querySelectorAll('.job')].find((one) => one.textContent.startsWith('joined'));
          job.querySelector('summary').click();
          requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - start) / 1000)))"""))
    typing = browser.wait("""const start = performance.now();
      document.getElementById('filter').value = 'sound-07';
      document.getElementById('filter').dispatchEvent(new Event('input'));
      requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - start) / 1000)))""")
    opening, detail = statistics.median(openings), statistics.median(details)
    print(f"       10,000 outputs: {size / 1e6:.1f} MB, listed after {opening:.2f} s "
          f"({', '.join(f'{one:.2f}' for one in openings)}), details after {detail:.3f} s, filtered in {typing:.3f} s")
    checks.hold("a page of 10,000 outputs is below 20 MB", size < 20e6)
    checks.hold("it lists them within 2 s", opening < 2 or openings)
    checks.hold("it opens a job within 0.3 s", detail < 0.3 or details)
    checks.hold("it filters within 0.3 s", typing < 0.3 or typing)
    checks.hold("it counts them", browser.run("return [...document.querySelectorAll('main > dl > div')]"
                                              ".map((one) => one.textContent).includes('outputs'"
                                              "+ data.report.totals.outputs)"))
    checks.hold("failures of 30 ms are seen among 20 minutes", browser.run(PIXELS + """
      return ['failed', 'warned'].every((name) => {
        const colour = parsed(name);
        return data.some((_, index) => index % 4 === 0
          && near((index / 4) % width, Math.floor(index / 4 / width), colour));
      })""", browser.find("canvas.timeline")))
    checks.hold("a drawing of many jobs is no taller than a screen",
                browser.find("canvas.timeline").size["height"] <= 900)


def missing_shards_are_named(checks, browser, folder, avjob, report):
    part = {**report, "shard": {"number": 1, "count": 3, "deal": "0"},
            "jobs": [{**job, "number": number + 1} for number, job in enumerate(report["jobs"])]}
    browser.open(f"file://{pages.merge(avjob, folder, part, 'part')}")
    checks.hold("shards without a report are named", "Shards without a report: 2, 3" in browser.find("main").text)


def done_jobs_are_up_to_date(checks, browser, folder, avjob, report):
    pages.run(avjob, folder, "again", "jobs.yaml")
    browser.open(f"file://{folder}/again.html")
    show_all(browser)
    done = [job for job in report["jobs"] if job["status"] == "done"]
    lines = [line[:2] for line in shown_jobs(browser)]
    checks.hold("run again, what is done is up to date, and stands last", sorted(lines[-len(done):]),
                sorted([job["name"], "up to date"] for job in done))
    links = browser.find_all("a", opened(browser, "tone"))
    checks.hold("its files are linked", [link.text for link in links], ["out/tone.wav", "out/tone.flac"])


# ---- Pictures ----

def difference(one, other):
    """How far two pictures are apart on the mean, of 255; 255 if their sizes differ."""
    if one.size != other.size:
        return 255
    return statistics.mean(ImageStat.Stat(ImageChops.difference(one, other)).mean)


def it_looks_as_before(checks, browser, folder, avjob, is_updated):
    with open(os.path.join(OWN, "run.json"), encoding="utf-8") as file:
        page = pages.merge(avjob, folder, json.load(file), "fixed")
    browser.resize(600, 400)
    for scheme in ("light", "dark"):
        for name, job in (("run", None), ("output", "joined")):
            browser.open(f"file://{page}")
            browser.emulate(scheme)
            if job:
                details = opened(browser, job)
                browser.run("arguments[0].scrollIntoView()", browser.find("h4", details))
            pictures = [browser.picture() for _ in range(2)]
            checks.hold(f"{name}, {scheme}: two pictures of one page are equal", pictures[0] == pictures[1])
            picture = Image.open(io.BytesIO(pictures[0])).convert("RGB")
            path = os.path.join(OWN, f"{name}-{scheme}.png")
            if is_updated:
                picture.quantize(256).save(path, optimize=True)
            apart = difference(picture, Image.open(path).convert("RGB"))
            print(f"       {name}, {scheme}: {apart:.2f} of 255 apart")
            checks.hold(f"{name}, {scheme}: it looks as before", apart < TOLERANCE or apart)
            picture.save(os.path.join(folder, f"{name}-{scheme}.png"))
    browser.emulate("light")
    browser.resize(1200)


def serve(folder):
    """A server of a folder, its address, and the paths that it is asked for."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}", asked


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("avjob", type=os.path.abspath)
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--axe", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    with open(options.axe, encoding="utf-8") as file:
        source = file.read()
    start = time.monotonic()
    avjob, folder, checks = options.avjob, options.folder, Checks()
    report = pages.make_run(avjob, folder)
    print(f"       {report['totals']['outputs']} outputs, page of "
          f"{os.path.getsize(os.path.join(folder, 'run.html')) / 1e6:.2f} MB")
    address, asked = serve(folder)
    with Browser() as browser:
        browser.open(f"file://{folder}/run.html")
        checks.scene(lists.figures_are_those_of_json, browser, report)
        checks.scene(lists.nothing_is_asked_for, browser, folder)
        browser.open(f"file://{folder}/run.html")
        checks.scene(lists.lists_are_found, browser, report)
        checks.scene(lists.the_keyboard_does_all, browser)
        checks.scene(sounds.media_play, browser, folder)
        checks.scene(sounds.sounds_are_drawn, browser, report)
        checks.scene(sounds.spectrograms_are_drawn, browser, folder, address, asked)
        checks.scene(colours_follow, browser, folder)
        checks.scene(it_prints, browser, folder)
        checks.scene(it_is_for_everyone, browser, folder, source)
        checks.scene(plans_are_drawn, browser, folder, avjob)
        checks.scene(it_does_without_scripts, browser, folder, report)
        checks.scene(done_jobs_are_up_to_date, browser, folder, avjob, report)
        checks.scene(missing_shards_are_named, browser, folder, avjob, report)
        checks.scene(many_outputs_open_quickly, browser, folder, avjob, report)
        checks.scene(it_looks_as_before, browser, folder, avjob, options.update)
    print(f"{checks.count - len(checks.failed)} of {checks.count} checks hold, "
          f"after {time.monotonic() - start:.0f} s")
    sys.exit(1 if checks.failed else 0)


main()
