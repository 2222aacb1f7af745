"""What the page of a report says and lists, and that keys reach it."""

import os

from selenium.webdriver import Keys

from looking import opened, output, show_all, shown_jobs
from shown import counts, job_line, output_figures, run_figures


def figures_are_those_of_json(checks, browser, report):
    checks.hold("the figures of the run are those of JSON", browser.run(
        "return Object.fromEntries([...document.querySelectorAll('main > dl.figures > div')]"
        ".map((part) => [...part.children].map((one) => one.textContent)))"), run_figures(report))
    checks.hold("messages that belong to no job are there word for word", browser.run(
        "return [...document.querySelectorAll('main > .message p')].map((part) => part.textContent)"),
        [message_text(one) for one in report["messages"]])
    show_all(browser)
    lines = shown_jobs(browser)
    checks.hold("each job is listed once, with its status, warnings, flaws, level and time",
                sorted(lines), sorted(job_line(job) for job in report["jobs"]))
    troubled = [counts(job)["trouble"] for job in report["jobs"]]
    checks.hold("jobs that need attention come first",
                {line[0] for line in lines[:sum(troubled)]},
                {job["name"] for job, is_troubled in zip(report["jobs"], troubled) if is_troubled})
    browser.run("document.querySelectorAll('.job').forEach((job) => { job.open = true; })")
    browser.settle()
    found = browser.run("""return Object.fromEntries([...document.querySelectorAll('.job')].map((job) => [
      job.querySelector('.name').textContent, {
        messages: [...job.querySelectorAll('.message p')].map((part) => part.textContent),
        excerpts: [...job.querySelectorAll('.message pre')].map((part) => part.textContent),
        outputs: Object.fromEntries([...job.querySelectorAll('section.part')].map((part) => [
          part.getAttribute('aria-label'), [...part.querySelector('dl').children].map((pair) =>
            [...pair.children].map((one) => one.textContent))]))}]))""")
    for name, of_page, of_job in (
            ("the messages of jobs are there word for word", "messages",
             lambda job: [message_text(one) for one in job["messages"]]),
            ("excerpts of job files are there line for line", "excerpts",
             lambda job: [one["excerpt"] for one in job["messages"] if one.get("excerpt")]),
            ("the figures of all outputs are those of JSON", "outputs",
             lambda job: {one["path"]: output_figures(one) for one in job["outputs"]})):
        wanted = {job["name"]: of_job(job) for job in report["jobs"]}
        other = [(key, found.get(key, {}).get(of_page), value) for key, value in wanted.items()
                 if found.get(key, {}).get(of_page) != value]
        checks.hold(name, other[:2], [])
    folder = os.path.dirname(browser.driver.current_url.removeprefix("file://"))
    checks.hold("all links lead to files", browser.run(
        "return [...document.querySelectorAll('a')].map((link) => decodeURIComponent(new URL(link.href).pathname))"
        ".sort()"), sorted(os.path.join(folder, one["path"]) for job in report["jobs"]
                           if job["status"] == "done" for one in job["outputs"]))
    browser.run("document.querySelectorAll('.job details').forEach((part) => { part.open = true; })")
    browser.settle()
    browser.until("[...document.querySelectorAll('img')].every((image) => image.complete)")
    checks.hold("covers are shown", browser.run(
        "return [...document.querySelectorAll('img')].map((image) => image.naturalWidth)"),
        [80 for job in report["jobs"] for one in job["outputs"] if "cover" in one])


def message_text(message):
    place = f"{message['file']}:{message['line']}:{message['column']}: " if "file" in message else ""
    return f"{place}{message['severity']}: {message['message']}"


def nothing_is_asked_for(checks, browser, folder):
    address = f"file://{folder}/run.html"
    asked = {one for one in browser.asked() if not one.startswith("data:")}
    checks.hold("with all details open, only the page and the covers were asked for",
                {one for one in asked if "cover" not in one}, {address})
    checks.hold("hostile names are texts: no script ran, no element came of them", browser.run("""return [
      document.querySelectorAll('script').length, document.querySelectorAll('style').length,
      document.querySelectorAll('img:not(.cover), iframe, object, embed, link:not([rel=icon]), base, form, i, b').length,
      document.querySelectorAll('[onload], [onerror], [style*=url]').length]"""), [2, 1, 0, 0])
    checks.hold("nothing is on the console", browser.said(), [])
    checks.hold("the policy lets no other script run, and nothing be fetched elsewhere", browser.wait("""
      const script = document.createElement('script');
      script.textContent = 'window.wasRun = true';
      document.body.append(script);
      const image = document.createElement('img');
      image.setAttribute('onerror', 'window.wasRun = true');
      image.src = 'nothing.png';
      document.body.append(image);
      const ends = [];
      document.addEventListener('securitypolicyviolation', (event) => ends.push(event.effectiveDirective));
      fetch('https://127.0.0.1:1/').catch(() => {}).then(() => setTimeout(() => {
        script.remove();
        image.remove();
        done([window.wasRun === undefined, ends.includes('connect-src')]);
      }, 300));"""), [True, True])
    browser.said()


def lists_are_found(checks, browser, report):
    names = [job["name"] for job in report["jobs"]]

    def filtered(text, status=""):
        browser.run("""document.getElementById('filter').value = arguments[0];
          document.getElementById('status').value = arguments[1];
          document.getElementById('status').dispatchEvent(new Event('change'))""", text, status)
        return [line[0] for line in shown_jobs(browser)], browser.find("[role=status]").text

    found, said = filtered("")
    checks.hold("the list begins with 100 jobs", [len(found), said], [100, f"100 of {len(names)} jobs"])
    browser.find(".more").click()
    checks.hold("'Show more' lists the others, and goes away",
                [len(shown_jobs(browser)), browser.find("[role=status]").text, browser.find(".more").is_displayed()],
                [len(names), f"{len(names)} of {len(names)} jobs", False])
    checks.hold("a name filters, in whatever case",
                sorted(filtered("SOUND-01")[0]), [f"sound-01{digit}" for digit in range(10)])
    checks.hold("and however it is written itself", filtered("aFTER mISSING")[0], ["After missing"])
    checks.hold("an output's path filters", filtered("out/sound-077.fl"), (["sound-077"], "1 of 1 job"))
    checks.hold("nothing found is said", filtered("no such job"), ([], "0 of 0 jobs"))
    for status in ("failed", "blocked"):
        checks.hold(f"the status filters: {status}", sorted(filtered("", status)[0]),
                    sorted(job["name"] for job in report["jobs"] if job["status"] == status))
    checks.hold("jobs with warnings or flaws are found", sorted(filtered("", "flawed")[0]), sorted(
        job["name"] for job in report["jobs"] if counts(job)["warnings"] or counts(job)["flaws"]))
    filtered("nothing at all")
    button = browser.find("table button")
    button.click()
    browser.settle()
    checks.hold("a job of 'What took longest' is opened, also one that was filtered out", browser.run(
        "return [document.activeElement.querySelector('.name')?.textContent,"
        "document.activeElement.parentElement.open]"), [button.text, True])
    canvas = browser.find("canvas.timeline")
    width, height = canvas.size["width"], canvas.size["height"]
    job = max(report["jobs"], key=lambda one: one.get("elapsed", 0) if "tries" not in one else 0)
    total = browser.run("return Math.max(...data.report.jobs.flatMap((job) => job.tries ?? [job])"
                        ".map((one) => (one.start ?? 0) + (one.elapsed ?? 0)), data.report.elapsed)")
    hits = []
    for y in range(9, height - 24, 18):
        browser.click_at(canvas, (job["start"] + job["elapsed"] / 2) / total * width, y)
        browser.settle()
        hits.append(browser.run("return document.activeElement.querySelector?.('.name')?.textContent"))
    checks.hold("a click on the time line opens the job that ran there", job["name"] in hits)


# ---- The keyboard ----

def the_keyboard_does_all(checks, browser):
    details = opened(browser, "levelled")
    controls = browser.run("""
      window.reached = new Set();
      document.activeElement.blur();
      document.addEventListener('focusin', (event) => window.reached.add(event.target));
      return document.querySelectorAll(
        'a, button:not([hidden]), input, select, summary, audio, [tabindex]').length""")
    browser.run("window.scrollTo(0, 0); document.body.tabIndex = -1; document.body.focus();"
                "document.body.removeAttribute('tabindex'); window.reached.clear()")
    for _ in range(controls + 60):
        browser.press(Keys.TAB)
    missed = browser.run("""return [...document.querySelectorAll(
      'a, button:not([hidden]), input, select, summary, audio, [tabindex]')]
      .filter((one) => one.checkVisibility() && !window.reached.has(one)).map((one) => one.outerHTML.slice(0, 99))""")
    checks.hold(f"Tab reaches all {controls} controls", missed, [])
    summary = browser.find("summary", details)
    states = []
    for key in (Keys.ENTER, Keys.ENTER, Keys.SPACE):
        browser.run("arguments[0].focus()", summary)
        browser.press(key)
        browser.settle()
        states.append(details.get_property("open"))
    checks.hold("Enter and Space open and close a job", states, [False, True, False])
    browser.run("arguments[0].open = true", details)
    outline = browser.run("arguments[0].focus(); return getComputedStyle(arguments[0]).outlineStyle", summary)
    checks.hold("what has the focus has an outline", outline, "solid")
    wave = browser.find("canvas.wave", output(browser, details, "out/levelled.flac"))
    browser.run("arguments[0].focus()", wave)
    places = []
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_LEFT, Keys.END, Keys.ARROW_RIGHT, Keys.ARROW_DOWN,
                Keys.HOME, Keys.PAGE_UP, Keys.PAGE_DOWN):
        browser.press(key)
        places.append(float(wave.get_attribute("aria-valuenow")))
    checks.hold("arrow keys, Home, End and Page keys seek", places, [1, 2, 1, 8, 8, 7, 0, 8, 0])
    checks.hold("the place is said in words", [wave.get_attribute("aria-valuetext"),
                wave.get_attribute("aria-valuemax")], ["0:00.0", "8.000"])
