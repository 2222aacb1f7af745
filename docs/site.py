"""Makes a site of plain HTML of the Markdown pages of the repository.

usage: site.py ROOT FOLDER

markdown-it reads the pages (CommonMark with tables, as forges show them); this file gives them
anchors, a frame and links among one another. A link or an anchor that leads nowhere, a page without
a title or with two, a picture without a text, and a block that is not the file it names are
mistakes: they are printed, and the exit status is 1.
"""

import html
import os
import posixpath
import re
import subprocess
import sys
import unicodedata

from markdown_it import MarkdownIt

ROOT, FOLDER = sys.argv[1:]

# The pages in the order of the menu: its headings, and the pages below each.
MENU = [
    ("Start", ["docs/index.md", "docs/tutorial.md", "docs/recipes.md", "docs/comparisons.md"]),
    ("Coming from", ["docs/from-pydub.md", "docs/from-ffmpeg-normalize.md",
                     "docs/from-m4b-tool.md", "docs/from-audacity.md",
                     "docs/avfoundation.md"]),
    ("Job files", ["docs/job-language.md", "docs/reference.md", "docs/loudness.md",
                   "docs/captions.md", "docs/broadcast.md", "docs/video.md", "docs/network.md",
                   "docs/agents.md", "docs/glossary.md"]),
    ("Running", ["docs/receipts.md", "docs/fixity.md", "docs/reports.md", "docs/json.md",
                 "docs/clusters.md"]),
    ("Listening and recording", ["docs/preview.md", "docs/remote-commands.md",
                                 "docs/recording.md", "docs/audio-sessions.md"]),
    ("Inside", ["docs/architecture.md", "docs/decisions.md", "docs/time.md", "docs/attacks.md"]),
    ("Project", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Fixtures/README.md"]),
]
PAGES = [page for _, pages in MENU for page in pages]
# What the library's documentation shows itself: links to it lead into the archive beside the site.
ARCHIVE = "../AVJob.doccarchive/index.html"
PREFIX = "<!-- file: "

STYLE = """
:root { color-scheme: light dark; --text: #1b1b1b; --ground: #fff; --quiet: #555; --line: #ccc;
  --code: #f3f3f1; --link: #0b4f9e; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e4e2; --ground: #16181a; --quiet: #a8a8a6;
  --line: #44484c; --code: #22262a; --link: #8ab8f0; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--ground); font: 1rem/1.55 system-ui,
  sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem; z-index: 1; }
.frame { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2.5rem; max-width: 78rem;
  margin: 0 auto; padding: 1rem 1.5rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav h2 { font-size: .85rem; margin: 1rem 0 .2rem; color: var(--quiet); border: 0; padding: 0; }
nav [aria-current] { font-weight: 700; color: inherit; text-decoration: none; }
.menu { font-size: .95rem; grid-column: 1; grid-row: 1; }
main { grid-column: 2; grid-row: 1; max-width: 54rem; }
.contents { border: 1px solid var(--line); padding: .2rem 1rem; margin: 1rem 0; }
.contents summary { cursor: pointer; }
.contents ul { columns: 16rem; margin: .5rem 0; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { border-bottom: 1px solid var(--line); padding-bottom: .2rem; margin-top: 2.2rem; }
.anchor { text-decoration: none; margin-left: .4rem; color: var(--quiet); opacity: 0; }
:hover > .anchor, .anchor:focus { opacity: 1; }
code, pre { font: .9em/1.45 ui-monospace, monospace; background: var(--code); }
code { padding: .1em .25em; overflow-wrap: anywhere; }
pre { padding: .8rem 1rem; overflow-x: auto; }
pre code { padding: 0; overflow-wrap: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
footer { color: var(--quiet); border-top: 1px solid var(--line); margin-top: 3rem; }
@media (max-width: 50rem) { .frame { display: block; } }
@media print { nav, .anchor, .skip, .contents { display: none; } .frame { display: block; }
  pre { white-space: pre-wrap; } a { color: inherit; } }
"""

mistakes = []


def complain(page, line, problem):
    mistakes.append(f"{page}:{line}: {problem}" if line else f"{page}: {problem}")


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def plain(token):
    """The text of an inline token, without its marks."""
    return "".join(child.content for child in token.children or []
                   if child.type in ("text", "code_inline"))


def anchor_of(text, taken):
    """The anchor that forges give a heading: small letters, hyphens for blanks, no signs."""
    kept = (c for c in text.strip().lower()
            if c in " -_" or unicodedata.category(c)[0] in "LNM")
    anchor = base = "".join(kept).replace(" ", "-")
    number = 0
    while anchor in taken:
        number += 1
        anchor = f"{base}-{number}"
    taken.add(anchor)
    return anchor


class Page:
    """A page of Markdown: its tokens, its headings, its title."""

    def __init__(self, name):
        self.name = name
        # `commonmark` with HTML off would print comments, which are for programs.
        self.tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(read(name))
        self.headings = []
        self.anchors = set()
        for index, token in enumerate(self.tokens):
            if token.type == "heading_open":
                text = plain(self.tokens[index + 1]).strip()
                token.attrSet("id", anchor_of(text, self.anchors))
                self.headings.append((int(token.tag[1]), text, token.attrGet("id")))
        titles = [text for level, text, _ in self.headings if level == 1]
        if len(titles) != 1:
            complain(name, 0, f"{len(titles)} headings of the first level; a page has one")
        self.title = titles[0] if titles else name
        self.check_order()
        self.check_html()
        self.check_files()

    def check_order(self):
        for (before, _, _), (level, text, _) in zip(self.headings, self.headings[1:]):
            if level > before + 1:
                complain(self.name, 0, f"the heading '{text}' skips a level")

    def check_html(self):
        for token in self.tokens:
            nodes = [token, *(token.children or [])]
            for node in nodes:
                if node.type.startswith("html_") and not node.content.strip().startswith("<!--"):
                    complain(self.name, token.map[0] + 1 if token.map else 0,
                             f"HTML, which is not passed on: {node.content.strip()[:40]}")

    def check_files(self):
        """A block below `<!-- file: NAME -->` is that file, word for word."""
        for comment, block in zip(self.tokens, self.tokens[1:]):
            if comment.type != "html_block" or not comment.content.startswith(PREFIX):
                continue
            name = comment.content[len(PREFIX):].split(" -->")[0]
            if not os.path.isfile(os.path.join(ROOT, name)):
                complain(self.name, comment.map[0] + 1, f"there is no file '{name}'")
            elif block.type != "fence" or block.content != read(name):
                complain(self.name, comment.map[0] + 1, f"the block below is not '{name}'")


class Site:
    """The pages, and the files of the repository that they lead to."""

    def __init__(self):
        self.pages = {name: Page(name) for name in PAGES}
        listed = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()
        self.files = set(listed.splitlines()) or {
            posixpath.relpath(os.path.join(folder, name), ROOT)
            for folder, _, names in os.walk(ROOT) for name in names}
        for name in sorted(self.files):
            if name.startswith("docs/") and name.endswith(".md") and name not in self.pages:
                complain(name, 0, "this page is in no menu: docs/site.py has the list")
        self.shown = set()

    def address(self, name):
        """Where a file of the repository lies in the site."""
        if name in self.pages:
            flat = name.removeprefix("docs/")
            return {"README.md": "readme.html", "Fixtures/README.md": "fixtures.html"}.get(
                name, flat.lower().removesuffix(".md") + ".html")
        return "files/" + (name or "repository") + ".html"

    def folder(self, name):
        return sorted(file for file in self.files if posixpath.dirname(file) == name)

    def resolve(self, page, line, link):
        """A link of a page as the site has it."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        if ".docc/" in name and name in self.files:
            return posixpath.relpath(ARCHIVE, posixpath.dirname(self.address(page)) or ".")
        if name in self.pages:
            if anchor and anchor not in self.pages[name].anchors:
                complain(page, line, f"'{link}' leads to no heading of {name}")
        elif name not in self.files and not self.folder(name):
            complain(page, line, f"'{link}' leads to no file")
        elif anchor:
            complain(page, line, f"'{link}' has an anchor, and {name} is no page")
        else:
            self.shown.add(name)
        start = posixpath.dirname(self.address(page)) or "."
        found = posixpath.relpath(self.address(name), start)
        return ("" if name == page and anchor else found) + (f"#{anchor}" if anchor else "")

    def frame(self, address, title, body, current=None, headings=()):
        """A whole HTML document."""
        start = posixpath.dirname(address) or "."
        menu = ""
        for heading, pages in MENU:
            menu += f"<h2>{html.escape(heading)}</h2><ul>"
            for page in pages:
                here = ' aria-current="page"' if page == current else ""
                link = posixpath.relpath(self.address(page), start)
                name = html.escape("Read me" if page == "README.md" else self.pages[page].title)
                menu += f'<li><a href="{link}"{here}>{name}</a></li>'
            if heading == "Inside":
                menu += f'<li><a href="{posixpath.relpath(ARCHIVE, start)}">The library (DocC)</a></li>'
            menu += "</ul>"
        contents = ""
        sections = [(text, anchor) for level, text, anchor in headings if level == 2]
        if len(sections) > 2:
            entries = "".join(f'<li><a href="#{anchor}">{html.escape(text)}</a></li>'
                              for text, anchor in sections)
            contents = ('<details class="contents" open><summary>On this page</summary>'
                        f'<nav aria-label="On this page"><ul>{entries}</ul></nav></details>')
        body = body.replace("</h1>", "</h1>" + contents, 1)
        name = "avjob" if title == "avjob" else f"{title} · avjob"
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(name)}</title>\n"
            f'<link rel="stylesheet" href="{posixpath.relpath("style.css", start)}">\n</head>\n'
            '<body>\n<a class="skip" href="#menu">Go to the menu</a>\n<div class="frame">\n'
            # The menu is behind the page for screen readers, narrow screens and text browsers.
            f'<main>\n{body}\n'
            f"<footer><p>Made by <code>scripts/docs</code> of "
            f"<code>{html.escape(current or title)}</code>.</p></footer>\n</main>\n"
            f'<nav class="menu" id="menu" aria-label="Pages">{menu}</nav>\n'
            "</div>\n</body>\n</html>\n")

    def body(self, page):
        """A page's HTML, its links those of the site."""
        renderer = MarkdownIt("commonmark", {"html": True}).enable("table").renderer
        for token in page.tokens:
            for child in token.children or []:
                line = token.map[0] + 1 if token.map else 0
                if child.type == "link_open":
                    child.attrSet("href", self.resolve(page.name, line, child.attrGet("href")))
                if child.type == "image" and not child.content:
                    complain(page.name, line, "a picture without a text")
            if token.type.startswith("html_"):
                token.content = ""
            if token.type == "fence":
                # A block that scrolls is reached by the keyboard.
                token.attrSet("tabindex", "0")
        body = renderer.render(page.tokens, MarkdownIt().options, {})
        body = body.replace("<table>", '<div class="wide" tabindex="0"><table>')
        body = body.replace("</table>", "</table></div>").replace("<th>", '<th scope="col">')
        return re.sub(
            r'<h([2-6]) id="([^"]+)">(.*?)</h\1>',
            r'<h\1 id="\2">\3<a class="anchor" href="#\2" aria-label="Link to this section">#</a>'
            r"</h\1>", body)

    def show(self, name):
        """A file of the repository, or a folder, as a page."""
        address = self.address(name)
        start = posixpath.dirname(address)
        if name in self.files:
            text = html.escape(read(name))
            inside = f'<pre tabindex="0"><code>{text}</code></pre>'
        else:
            self.shown.update(file for file in self.folder(name) if file not in self.pages)
            inside = "<ul>" + "".join(
                f'<li><a href="{posixpath.relpath(self.address(file), start)}">'
                f"{html.escape(file)}</a></li>" for file in self.folder(name)) + "</ul>"
        body = f"<h1><code>{html.escape(name)}</code></h1>\n{inside}"
        self.write(address, self.frame(address, name, body))

    def write(self, address, text):
        target = os.path.join(FOLDER, address)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)

    def make(self):
        self.write("style.css", STYLE.lstrip())
        for page in self.pages.values():
            address = self.address(page.name)
            self.write(address, self.frame(
                address, page.title, self.body(page), page.name, page.headings))
        done = set()
        while self.shown - done:
            for name in sorted(self.shown - done):
                done.add(name)
                self.show(name)


def check_written():
    """The pages as a browser gets them: one title, a language, one h1, no link that leads nowhere."""
    ids, links = {}, []
    for folder, _, names in os.walk(FOLDER):
        for name in names:
            if not name.endswith(".html"):
                continue
            path = os.path.relpath(os.path.join(folder, name), FOLDER)
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            for what in ('<html lang="', "<title>", "<h1", "<main>"):
                if text.count(what) != 1:
                    complain(path, 0, f"{text.count(what)} times '{what}'")
            ids[path] = re.findall(r'\bid="([^"]+)"', text)
            if len(set(ids[path])) != len(ids[path]):
                complain(path, 0, "an id is given twice")
            if re.search(r'<(script|img|iframe)\b|(src|href)="//', text):
                complain(path, 0, "something that is loaded from elsewhere")
            links += [(path, html.unescape(link)) for link in re.findall(r'href="([^"]*)"', text)]
    for path, link in links:
        if re.match(r"[a-z]+:", link) or "AVJob.doccarchive" in link:
            continue
        file, _, anchor = link.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
        if target != "style.css" and target not in ids:
            complain(path, 0, f"'{link}' leads to no page")
        elif anchor and anchor not in ids[target]:
            complain(path, 0, f"'{link}' leads to no place")


def main():
    Site().make()
    check_written()
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    sys.exit(1 if mistakes else 0)


main()
