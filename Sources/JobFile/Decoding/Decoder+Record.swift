import JobModel
import MediaComposition
import YAML

extension YAMLNode {
  /// Whether an output is a file of facts.
  var isRecord: Bool { hasKey { $0 == "json" } }
}

extension Decoder {
  /// An output that is a file of facts: `{ folder: master, json: sidecar }`.
  func record(_ node: YAMLNode, _ context: EnclosingJob) -> ExportRecord? {
    guard let fields = fields(of: node, as: Language.output), let entry = fields["json"] else {
      return nil
    }
    guard Values.sidecar.read(entry.value, self, context.scope) != nil,
      let path = path(fields, context, naming: { _ in .usual("json") })
    else { return nil }
    guard path.value.extension?.lowercased() == "json" else {
      sink.error(
        "a sidecar ends in '.json'", at: path.origin,
        help: "write '\(path.value.stem ?? "").json'")
      return nil
    }
    return ExportRecord(path: path.value, origin: path.origin)
  }

  /// Refuses records without a sound file.
  func refuseLonelyRecords(_ nodes: [YAMLNode]) {
    guard let first = nodes.first, nodes.allSatisfy(\.isRecord) else { return }
    sink.error(
      "a sidecar without an output that it describes", at: first.origin,
      help: "add an output with sound, as 'episode.mp3'")
  }
}
