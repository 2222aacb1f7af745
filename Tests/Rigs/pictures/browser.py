"""A headless Chromium, with what it logs and asks for."""

import json

from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

# Seconds to wait for something to become true.
PATIENCE = 20


class Browser:
    def __init__(self, width=1200, height=900):
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--mute-audio",
                         "--autoplay-policy=no-user-gesture-required", "--hide-scrollbars",
                         "--force-device-scale-factor=1"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(60)
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def resize(self, width, height=900):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=False)

    def emulate(self, scheme="light", medium=""):
        self.command("Emulation.setEmulatedMedia", media=medium,
                     features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def open(self, address):
        self.driver.get(address)
        self.settle()

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.wait("requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments):
        """The value that the script gives to `done`."""
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];" + script, *arguments)

    def until(self, script, *arguments):
        """The value of an expression, once it is true; otherwise an error."""
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(
            lambda _: self.run(f"return {script}", *arguments), f"never true: {script}")

    def find(self, selector, within=None):
        return (within or self.driver).find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector, within=None):
        return (within or self.driver).find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def click_at(self, element, x, y):
        """Clicks at pixels from an element's upper left corner."""
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        box = self.run("const box = arguments[0].getBoundingClientRect(); return [box.x, box.y]", element)
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=box[0] + x, y=box[1] + y,
                         button="left", clickCount=1)

    def said(self):
        """What stands on the console since the last call, but for what reading pixels brings there."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if "getImageData" not in entry["message"]]

    def asked(self):
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def picture(self):
        """A screenshot, as PNG."""
        self.settle()
        return self.driver.get_screenshot_as_png()
