import Diagnosis
import ExportEngine
import JSON
import LibAV

/// A page of HTML that draws a document of avjob: one file, which asks for no other.
///
/// Its markup, its looks and its script are files of this target; the data are JSON within the page,
/// which the script shows as text alone. A policy lets no other script run, and nothing be loaded but
/// the media that are linked.
package struct Page {
  private let title: String
  /// What is read where scripts do not run.
  private let summary: String
  private let data: String

  /// A page of a document on one line.
  package init(title: String, summary: String, data: String) {
    self.title = title
    self.summary = summary
    self.data = data
  }

  private static let mark = "<meta name=\"generator\" content=\"avjob "

  /// Whether a text that starts like this is such a page.
  static func isPage(_ head: String) -> Bool { head.contains(mark) }

  /// The whole page. O(length).
  package var text: String {
    let parts: [(mark: String, text: String)] = [
      ("mark", Self.mark + Engine.version + "\">"), ("title", XMLText.escaped(title.withoutMarks)),
      ("summary", XMLText.escaped(summary.withoutMarks)), ("policy", Self.policy),
      ("style", Self.style),
      ("script", Self.script),
      // No tag can begin within the data; only texts have this character.
      ("data", data.replacingScalars("<", with: "\\u003c")),
    ]
    var rest = Self.template[...]
    var text = ""
    while let start = rest.firstRange(of: "{{"),
      let end = rest[start.upperBound...].firstRange(of: "}}")
    {
      let name = rest[start.upperBound..<end.lowerBound]
      text += rest[..<start.lowerBound]
      text += parts.first { $0.mark == name }?.text ?? ""
      rest = rest[end.upperBound...]
    }
    return text + rest
  }

  private static let template = String(decoding: PackageResources.page_html, as: UTF8.self)
  private static let style = String(decoding: PackageResources.page_css, as: UTF8.self)
  /// In the order in which they use one another.
  private static let script = [
    PackageResources.elements_js, PackageResources.drawings_js, PackageResources.sound_js,
    PackageResources.graph_js, PackageResources.page_js,
  ].map { String(decoding: $0, as: UTF8.self) }.joined()

  /// `Content-Security-Policy` (level 3): the script and the style of this page by their digests.
  private static var policy: String {
    """
    default-src 'none'; script-src '\(digest(script))'; style-src '\(digest(style))'; \
    media-src 'self' file: blob:; img-src 'self' file: data:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'
    """
  }

  private static func digest(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let digest = try? bytes.withUnsafeBytes { try SHA256.digest($0) }
    return "sha256-" + (JSONValue.base64(digest ?? []).text ?? "")
  }
}
