import JobModel
import MediaComposition
import YAML

extension YAMLNode {
  /// Whether an output is a file of facts.
  var isRecord: Bool {
    guard case .mapping(let entries) = kind else { return false }
    return entries.contains { $0.key == "json" }
  }
}

extension Decoder {
  /// An output that is a file of facts: `{ folder: master, json: sidecar }`.
  func record(_ node: YAMLNode, _ context: OutputContext) -> ExportRecord? {
    guard let fields = fields(of: node, as: Language.output), let entry = fields["json"] else {
      return nil
    }
    let word = value(entry.value, context.scope) { text throws(QuantityError) in
      guard text == "sidecar" else {
        throw QuantityError("'\(text)' is no file of facts", help: "write 'sidecar'")
      }
      return text
    }
    for other in fields.entries where !["file", "folder", "json"].contains(other.key) {
      sink.error(
        "'\(other.key)' beside 'json'", at: other.keyOrigin,
        help: "a sidecar has facts and no sound; 'output' may be a list",
        notes: [.init("it is given here", at: entry.keyOrigin)])
    }
    guard word != nil, let path = path(fields, context, naming: { _ in .usual("json") }) else {
      return nil
    }
    guard path.value.extension?.lowercased() == "json" else {
      sink.error(
        "a sidecar ends in '.json'", at: path.origin,
        help: "write '\(path.value.stem ?? "").json'")
      return nil
    }
    return ExportRecord(path: path.value, origin: path.origin)
  }

  /// Facts of what? A job makes sound.
  func refuseLonelyRecords(_ nodes: [YAMLNode]) {
    guard let first = nodes.first, nodes.allSatisfy(\.isRecord) else { return }
    sink.error(
      "a sidecar without an output that it describes", at: first.origin,
      help: "add an output with sound, as 'episode.mp3'")
  }
}
