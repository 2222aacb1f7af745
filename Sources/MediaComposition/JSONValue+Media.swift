import JSON
import MediaTime
import SystemPackage

extension JSONValue {
  /// A time or a length of sound: its seconds, and beside them its exact text, as the job language
  /// reads it.
  package static func time(_ time: Time) -> JSONValue {
    .seconds(time.seconds, exact: time.description)
  }

  /// An object that begins with a file's path: `path`, and where that is not UTF-8, and so no
  /// text that would lead back to the file, its bytes in hexadecimal as `path_hex`.
  package static func file(
    _ path: FilePath, _ others: KeyValuePairs<String, JSONValue?>
  ) -> JSONValue {
    let bytes = String(validating: path) == nil ? path.bytes : nil
    return members(["path": .text(path.string), "path_hex": bytes.map { .hexadecimal($0) }])
      .with(members(others))
  }
}

extension Chapter {
  /// A chapter in any document.
  package var json: JSONValue {
    .members([
      "start": .time(start), "title": .text(title), "url": url.map { .text($0) },
    ])
  }
}

extension Metadata {
  /// The tags, without the cover.
  package var json: JSONValue { .object(items.map { JSONValue.Member($0.key, .text($0.value)) }) }
}
