import Diagnosis
import Files
import JobModel
import MediaComposition
import SystemPackage
import YAML

/// A bag, while its keys are read.
struct BagDraft: Sendable {
  var path: Located<FilePath>?
  var fields: [JobBag.Field] = []
}

extension Values {
  private static let bagFolder: NodeNotation<Located<FilePath>> = NodeNotation(
    Form("bag_folder", [.text], "the folder of a bag, as 'masters'") { JSONForm.path }
  ) { node, decoder, scope in decoder.path(node, scope, as: .folder) }

  /// Any field, with one text or a list of them.
  private static let bagInfo: MapNotation<[JobBag.Field]> = MapNotation(
    "bag-info", [], example: "{ Source-Organization: Archive X }",
    others: { entry, decoder, scope, fields in
      fields += decoder.bagFields(entry, scope)
    }, [])

  private static let bagMap: MapNotation<BagDraft> = MapNotation(
    "a bag", BagDraft(),
    example: "{ folder: masters, info: { Source-Organization: Archive X } }",
    rules: [
      .some(of: ["folder"], missing: "a bag needs a 'folder'", help: "write 'folder: masters'")
    ],
    [
      Key("folder", bagFolder, "where it will be; nothing may be there, or the same bag") {
        $0.path = $1
      },
      Key("info", bagInfo, "fields of its 'bag-info.txt', each one text or a list of them") {
        $0.fields = $1
      },
    ])

  /// A bag of all outputs of a file.
  static let bag: NodeNotation<JobBag> = NodeNotation(
    "bag", "a folder, as 'masters', or a map with facts about it", text: bagFolder,
    convert: { JobBag(path: $0.value, origin: $0.origin) }, map: bagMap
  ) { draft, _, _ in
    draft.path.map { JobBag(path: $0.value, fields: draft.fields, origin: $0.origin) }
  }
}

extension Decoder {
  /// The lines of `bag-info.txt` that a key stands for (RFC 8493, 2.2.2).
  fileprivate func bagFields(_ entry: YAMLEntry, _ scope: Scope) -> [JobBag.Field] {
    let label = entry.key
    guard !BagLabels.isOwn(label) else {
      sink.error(
        "'\(label)' follows from the content, and avjob writes it", at: entry.keyOrigin,
        help: "leave it out")
      return []
    }
    guard label == label.onOneLine, !label.containsScalars(":"), !label.isEmpty else {
      sink.error(
        "'\(label)' is no label of a bag: it is on one line, without a ':'", at: entry.keyOrigin,
        help: "write a label as 'Source-Organization'")
      return []
    }
    return entry.value.elements.compactMap { node in
      text(node, scope).map { JobBag.Field(label, $0.string.onOneLine) }
    }
  }
}
