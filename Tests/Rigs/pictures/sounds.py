"""The sound of a report's page: what plays, and what is drawn of it."""

import base64
import os

from selenium.webdriver import Keys

from looking import PIXELS, opened, output


def media_play(checks, browser, folder):
    details = opened(browser, "levelled")
    browser.asked()
    for extension in ("wav", "mp3", "flac"):
        part = output(browser, details, f"out/levelled.{extension}")
        wave, audio = browser.find("canvas.wave", part), browser.find("audio", part)
        browser.run("arguments[0].focus()", wave)
        browser.press(Keys.SPACE)
        browser.until("arguments[0].currentTime > 0.2", audio)
        browser.click_at(wave, wave.size["width"] * 0.625, 60)
        browser.until("arguments[0].currentTime > 5.1 && !arguments[0].seeking", audio)
        browser.run("arguments[0].focus()", wave)
        browser.press(Keys.SPACE)
        browser.until("arguments[0].paused", audio)
        time = browser.run("return arguments[0].currentTime", audio)
        checks.hold(f"{extension} plays, goes to the place of a click, and pauses",
                    [5 < time < 7.5, abs(float(wave.get_attribute("aria-valuenow")) - time) < 0.5,
                     abs(browser.run("return arguments[0].duration", audio) - 8) < 0.1], [True] * 3)
    checks.hold("only what is played is asked for", {one for one in browser.asked() if one.startswith("file")},
                {f"file://{folder}/out/levelled.{extension}" for extension in ("wav", "mp3", "flac")})
    part = output(browser, details, "out/levelled.mp3")
    audio = browser.find("audio", part)
    places = []
    for button in browser.find_all(".chapters button", part):
        button.click()
        places.append([button.text, browser.run("return arguments[0].currentTime", audio)])
    checks.hold("the buttons of chapters go to them", places,
                [["0:00 Intro", 0], ["0:02.5 Middle", 2.5], ["0:06 End", 6]])
    playing = opened(browser, "joined")
    part = output(browser, playing, "out/joined.flac")
    button = next(one for one in browser.find_all(".joins button", part) if one.text == "Go to 0:12.000")
    button.click()
    checks.hold("a join's button goes there, a bit before",
                browser.find("canvas.wave", part).get_attribute("aria-valuenow"), "10.500")


def sounds_are_drawn(checks, browser, report):
    by_path = {one["path"]: one for job in report["jobs"] for one in job["outputs"]}
    for name, path in (("loud", "out/loud.mp3"), ("levelled", "out/levelled.wav")):
        wave = browser.find("canvas.wave", output(browser, opened(browser, name), path))
        browser.run("arguments[0].scrollIntoView()", wave)
        browser.settle()
        peaks = base64.b64decode(by_path[path]["overview"]["peaks"])
        found = browser.run(PIXELS + """
          const [wave, failed] = [parsed('wave'), parsed('failed')];
          return Array.from({length: arguments[1]}, (_, column) => {
            const x = Math.min(width - 1, Math.floor((column + 0.5) / arguments[1] * width));
            let [top, bottom, isRed] = [height, -1, false];
            for (let y = 0; y < height; y += 1) {
              if (!near(x, y, wave) && !near(x, y, failed)) continue;
              [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
              isRed ||= near(x, y, failed);
            }
            // What lies over one end does not lie over the other one.
            return [2 * Math.max(height / 2 - top, bottom + 1 - height / 2), isRed, height];
          })""", wave, len(peaks))
        wrong = [(column, value, tall) for column, (value, (tall, _, height)) in enumerate(zip(peaks, found))
                 if abs(tall - min(1, value / 250) * height) > 3]
        # Chapters hide whole columns.
        checks.hold(f"{path}: columns are as high as the peaks", len(wrong) <= len(peaks) // 20 or wrong)
        checks.hold(f"{path}: those over full scale are red, and no others",
                    [column for column, (value, (_, is_red, _)) in enumerate(zip(peaks, found))
                     if is_red != (value > 250)], [])
    over = [value > 250 for value in base64.b64decode(by_path["out/clicked.mp3"]["overview"]["peaks"])]
    seen = []
    # The column shares its pixel with another one at some of these.
    for width in range(350, 362, 2):
        browser.resize(width)
        lone = browser.find("canvas.wave", output(browser, opened(browser, "clicked"), "out/clicked.mp3"))
        browser.run("arguments[0].scrollIntoView()", lone)
        browser.settle()
        seen.append(browser.run(PIXELS + """
          const failed = parsed('failed');
          return Array.from({length: width}, (_, x) => near(x, height >> 1, failed)).some(Boolean)""", lone))
    checks.hold("a single column over full scale is red on a small screen, too", [sum(over), *seen],
                [1, *[True] * 6])
    browser.resize(1200)
    wave = browser.find("canvas.wave", output(browser, opened(browser, "levelled"), "out/levelled.wav"))
    browser.run("arguments[0].scrollIntoView()", wave)
    browser.settle()
    checks.hold("there is sound over full scale", max(base64.b64decode(
        by_path["out/loud.mp3"]["overview"]["peaks"])) > 250)
    levels = base64.b64decode(by_path["out/levelled.wav"]["overview"]["loudness"])
    missed = browser.run(PIXELS + """
      const level = parsed('level'), levels = arguments[1];
      return levels.map((value, index) => [value, index]).filter(([value, index]) => {
        if (!value) return false;
        const x = Math.floor((index + 0.5) / levels.length * width);
        const y = Math.floor(height * Math.min(48, Math.max(0, -(value / 3 - 75))) / 48);
        return ![-2, -1, 0, 1, 2].some((dy) => near(x, Math.max(0, y + dy), level));
      })""", wave, list(levels))
    checks.hold("the line of the loudness goes through its values",
                len(missed) <= sum(1 for level in levels if level) // 10 or missed)
    # Where there is no short-term loudness yet, the line of the target stands alone.
    dashes = browser.run(PIXELS + """
      const level = parsed('level'), y = Math.round(height * 16 / 48);
      let count = 0;
      for (let x = 0; x < width * 0.3; x += 1) {
        if ([-1, 0, 1].some((dy) => near(x, y + dy, level))) count += 1;
      }
      return count / (width * 0.3)""", wave)
    checks.hold("the target is a line of dashes", 0.4 < dashes < 0.8 or dashes)
    # Two pixels of eight, where no chapter's line is.
    dots = browser.run(PIXELS + """
      const amber = parsed('level'), reach = 10 ** (arguments[1] / 20) * height / 2;
      return [height / 2 - reach, height / 2 + reach].map((y) => {
        let count = 0;
        for (let x = 0; x < width; x += 1) {
          if ([-1, 0, 1].some((dy) => near(x, Math.max(0, Math.min(height - 1, Math.round(y) + dy)), amber))) count += 1;
        }
        return count / width;
      })""", wave, -1)
    checks.hold("the ceiling is a dotted line above and below", all(0.15 < share < 0.45 for share in dots) or dots)
    joins = [one for one in by_path["out/joined.flac"]["joins"]]
    part = output(browser, opened(browser, "joined"), "out/joined.flac")
    drawn = browser.run("""return [...arguments[0].querySelectorAll('.joins canvas')].map((canvas) => {
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, index) => index % 4 === 3 && value).length > 500;
    })""", part)
    checks.hold("each join is drawn", drawn, [True] * len(joins))
    checks.hold("joins with flaws stand first, and say which", [
        [one.text for one in browser.find_all(selector, part)] for selector in (".joins button", ".joins p")],
        [["Go to 0:08.000", "Go to 0:12.000", "Go to 0:04.000"], ["a gap of 20 samples", "a click", "nothing found"]])


def spectrum_row(browser, part):
    """The brightest row of the spectrogram in the middle of the sound, and whether rows far away are dark."""
    canvas = browser.until("arguments[0].querySelector('.spectrum canvas')", part)
    return browser.run("""const canvas = arguments[0];
      const {data} = canvas.getContext('2d').getImageData(canvas.width >> 1, 0, 1, canvas.height);
      const shades = Array.from({length: canvas.height}, (_, row) => data[4 * row] + data[4 * row + 1]);
      const brightest = shades.indexOf(Math.max(...shades));
      return [canvas.height - 1 - brightest,
        shades.every((shade, row) => Math.abs(row - brightest) < 40 || shade < 40)]""", canvas)


def spectrograms_are_drawn(checks, browser, folder, address, asked):
    part = output(browser, opened(browser, "tone"), "out/tone.wav")
    choose = browser.find("input[type=file]", part)
    choose.send_keys(os.path.join(folder, "jobs.yaml"))
    said = browser.until("arguments[0].querySelector('.spectrum [role=status]')?.textContent.includes('cannot')"
                         " && arguments[0].querySelector('.spectrum [role=status]').textContent", part)
    checks.hold("a file without sound gives a message", said.startswith("The spectrogram cannot be drawn: "))
    browser.open(f"file://{folder}/run.html")
    part = output(browser, opened(browser, "tone"), "out/tone.wav")
    browser.find("input[type=file]", part).send_keys(os.path.join(folder, "out/tone.wav"))
    # 512 rows to 4 kHz: 1.1 kHz is the 141st.
    checks.hold("beside a file, the spectrogram of the chosen file shows its tone", spectrum_row(browser, part), [141, True])
    browser.said()
    browser.open(f"{address}/run.html")
    part = output(browser, opened(browser, "tone"), "out/tone.flac")
    browser.find(".spectrum button", part).click()
    checks.hold("beside a server, the button does it", spectrum_row(browser, part), [141, True])
    checks.hold("a server is asked for nothing else", sorted(set(asked)), ["/out/tone.flac", "/run.html"])
    checks.hold("the console stays empty beside a server", browser.said(), [])
