import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import YAML

extension YAMLNode {
  /// Whether an output is a list of sound files.
  var isManifest: Bool { hasKey { $0 == "manifest" } }
}

/// A list of sound files, while its keys are read.
struct ManifestDraft: Sendable {
  var path: Located<FilePath>?
  var form: DataSetManifest.Form?
  var text: Located<String>?
  var speaker: Located<String>?
  var language: Located<String>?
}

extension Values {
  static let manifestForm = TextNotation(
    "manifest_form", DataSetManifest.Form.allCases.map { ($0.rawValue, $0) },
    refusal: "is no form of a manifest")

  /// A list of the files of an output.
  static let manifest: MapNotation<ManifestDraft> = MapNotation(
    "a manifest", ManifestDraft(), example: "{ manifest: train.jsonl, form: nemo }",
    rules: [
      .some(
        of: ["form"], missing: "a manifest needs a 'form'",
        help: "write 'form: nemo', or \(manifestForm.form.example)")
    ],
    [
      Key(
        "manifest", as: path.form,
        "the file with a line for each file of the output before it; jobs may share it"
      ) { entry, decoder, scope, manifest in
        manifest.path = decoder.manifestPath(entry.value, scope)
      },
      Key("form", manifestForm, "what reads it, which decides its fields") { $0.form = $1.value },
      Key("text", text, "what is said in each file; else what its transcript has") {
        $0.text = $1
      },
      Key("speaker", text, "who says it; else the transcript's speaker, if it is one") {
        $0.speaker = $1
      },
      Key("language", text, "the language, as 'en-GB'; else that of the transcript") {
        $0.language = $1
      },
    ])
}

extension Decoder {
  /// An output that lists the files of output number `output`; nil after a report.
  func manifest(_ node: YAMLNode, ofOutput output: Int, _ context: EnclosingJob) -> JobManifest? {
    guard let draft = Values.manifest.read(node, self, context.scope), let path = draft.path,
      let form = draft.form
    else { return nil }
    let name = path.value
    let extensions = form.extensions.map { ".\($0)" }
    guard form.extensions.contains(name.extension?.lowercased() ?? "") else {
      sink.error(
        "a manifest of the form '\(form.rawValue)' ends in \(extensions.listed("or"))",
        at: path.origin, help: "write '\(form.stem ?? name.stem ?? "train")\(extensions[0])'")
      return nil
    }
    if let stem = form.stem, name.stem != stem {
      sink.error(
        "a manifest of the form '\(form.rawValue)' is called "
          + extensions.map { "'\(stem)\($0)'" }.listed("or") + ": readers look for that name",
        at: path.origin, help: "put it into a folder of its own, under that name")
      return nil
    }
    var manifest = JobManifest(
      DataSetManifest(path: name, form: form, origin: path.origin), ofOutput: output)
    (manifest.text, manifest.speaker, manifest.language) = (
      draft.text, draft.speaker, draft.language
    )
    return manifest
  }

  /// The path of a manifest, which no part fills in.
  fileprivate func manifestPath(_ node: YAMLNode, _ scope: Scope) -> Located<FilePath>? {
    guard !node.variables.contains(where: { $0.hasPrefix("part.") }) else {
      sink.error(
        "a manifest lists all parts, and its path depends on one", at: node.origin,
        help: "leave the part out of it, as 'train.jsonl'")
      return nil
    }
    return path(node, scope.with(part: .none), as: .output)
  }

  /// Refuses manifests without a sound file before them.
  func refuseLonelyManifests(_ nodes: [YAMLNode]) {
    guard let sound = nodes.firstIndex(where: { !$0.isManifest && !$0.isRecord }) else {
      if let first = nodes.first(where: \.isManifest) {
        sink.error(
          "a manifest without an output whose files it lists", at: first.origin,
          help: "add an output with sound, as \"wav/${part.n:05}.wav\"")
      }
      return
    }
    for node in nodes[..<sound] where node.isManifest {
      sink.error(
        "a manifest with no output before it", at: node.origin,
        help: "write it behind the output whose files it lists")
    }
  }
}
