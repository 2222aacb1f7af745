import Diagnosis
import TestSupport
import Testing

@testable import Reports

/// Signs of HTML and Markdown beside what makes one character with them.
@Suite struct JoinedPageTests {
  @Test("a page has no element that its data name, and its data read back")
  func page() throws {
    let titles = ["<", "</script>", "<h1 id=pwn>", "<!--"].flatMap(JoinedTexts.around)
    let data = "{\"title\":\"\(titles.joined(separator: " "))\"}"
    let folder = TestFolder()
    let text = Page(title: titles.joined(), summary: titles.joined(), data: data).text
    try writeFile(folder.path("page.html"), text.utf8)
    try writeFile(folder.path("empty.html"), Page(title: "", summary: "", data: "{}").text.utf8)
    try writeFile(folder.path("data.json"), data.utf8)
    // A reader of HTML that nobody here wrote.
    let script = """
      import html.parser, json
      class Page(html.parser.HTMLParser):
        def __init__(self, path):
          super().__init__()
          self.tags, self.texts, self.inside = [], [], None
          self.feed(open(path, encoding='utf-8').read())
        def handle_starttag(self, tag, attributes):
          self.tags.append(tag)
          self.inside = dict(attributes).get('type') if tag == 'script' else None
        def handle_endtag(self, tag): self.inside = None
        def handle_data(self, data):
          if self.inside == 'application/json': self.texts.append(data)
      page = Page('page.html')
      print(page.tags == Page('empty.html').tags)
      print(json.loads(''.join(page.texts)) == json.load(open('data.json', encoding='utf-8')))
      """
    let result = try Tool.succeed("/usr/bin/python3", "-c", script, in: folder.root)
    #expect(result.text == "True\nTrue\n", "\(result.errors)")
  }

  @Test("Markdown makes no link of an address, whatever stands beside it")
  func markdown() {
    for joined in JoinedTexts.around("www.") {
      let text = MarkdownReport.escaped("a " + joined + "example.org")
      #expect(!text.containsScalars("www."))
    }
  }
}
