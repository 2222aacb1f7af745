"""Checks, and how they find their way about the page of a report."""

import traceback

# Shown jobs by name.
JOB = "[...document.querySelectorAll('.job')].find((job) => job.querySelector('.name')?.textContent === arguments[0])"
# Pixels of a canvas, by the colours of the page.
PIXELS = """
  const canvas = arguments[0], context = canvas.getContext('2d');
  const {width, height} = canvas, {data} = context.getImageData(0, 0, width, height);
  const probe = new OffscreenCanvas(1, 1).getContext('2d');
  const parsed = (name) => {
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + name);
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data;
  };
  const near = (x, y, colour) => [0, 1, 2].every((part) =>
    Math.abs(data[4 * (y * width + x) + part] - colour[part]) < 24) && data[4 * (y * width + x) + 3] > 128;
"""


class Checks:
    """Named checks, and what came of each."""

    def __init__(self):
        self.failed, self.count = [], 0

    def hold(self, name, found, wanted=True):
        self.count += 1
        is_held = found == wanted
        print(f"{'ok    ' if is_held else 'FAILED'} {name}", flush=True)
        if not is_held:
            self.failed.append(name)
            print(f"       found  {str(found)[:1500]}\n       wanted {str(wanted)[:1500]}", flush=True)

    def scene(self, scene, *arguments):
        try:
            scene(self, *arguments)
        except Exception:
            self.hold(f"{scene.__name__} ends", traceback.format_exc(), True)


def opened(browser, name):
    """The part of a job, whose details are open."""
    browser.run("document.getElementById('filter').value = arguments[0];"
                "document.getElementById('filter').dispatchEvent(new Event('input'))", name)
    details = browser.until(JOB, name)
    browser.run("arguments[0].open = true", details)
    browser.settle()
    return details


def output(browser, details, path):
    return next(part for part in browser.find_all("section.part", details)
                if part.get_attribute("aria-label") == path)


def show_all(browser):
    browser.run("document.getElementById('filter').value = '';"
                "document.getElementById('filter').dispatchEvent(new Event('input'));"
                "for (const more = document.querySelector('.more'); !more.hidden;) more.click()")


def shown_jobs(browser):
    return browser.run("""return [...document.querySelectorAll('#list > .job')].map((job) =>
      [...job.querySelectorAll('summary > span')].map((part) => part.textContent))""")
