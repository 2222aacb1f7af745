import JSON
import JobModel
import MediaComposition

extension JobFile {
  /// The language as a JSON Schema (draft 7, which SchemaStore and every editor take), made from the
  /// tables of the decoder. It cannot check other files, other keys or numbers in texts: use
  /// `avjob check`.
  package static let schema = Language.wholeDocument.document(columns: 96)
}

extension Language {
  fileprivate static let wholeDocument: JSONValue = {
    // The whole of a file stands at the root.
    let maps = Self.maps.filter { $0.subject != file.subject }
    var forms: [String: Form] = [:]
    for key in maps.flatMap(\.keys) + fileKeys {
      forms[key.form.name] = key.form
    }
    var definitions = maps.map { map in
      JSONValue.Member(map.definition, map.tree(with: map.subject == job.subject ? ofJobs : []))
    }
    definitions += forms.values.sorted { $0.name < $1.name }.map {
      JSONValue.Member($0.name, $0.tree())
    }
    let title: JSONValue = [
      "$schema": "http://json-schema.org/draft-07/schema#",
      "$id": "https://www.schemastore.org/avjob.json",
      "title": "avjob job file, version 1",
      "description": "What to cut, join, mix and compress: one job, or several under 'jobs'.",
    ]
    return title.with(file.tree(with: [oneOrMany, wholeJobs])).with([
      "definitions": .object(definitions)
    ])
  }()

  private static let ofJobs = jobRules.map(\.kind.tree) + jobConditions

  /// A file is one job, or has 'jobs'.
  private static let oneOrMany: JSONValue = [
    "if": ["required": ["jobs"]],
    "then": Schema.Rule.Kind.none(job.names),
    "else": ["allOf": .list(ofJobs)],
  ]

  /// A job is complete, unless it gets keys from elsewhere.
  private static let wholeJobs: JSONValue = {
    let whole: JSONValue = ["allOf": .list(wholeJobRules.map(\.kind.tree) + [inputCondition])]
    return [
      "if": Schema.Rule.Kind.someOf(["defaults", "include"]).tree,
      "else": [
        "if": ["required": ["jobs"]],
        "then": ["properties": ["jobs": ["additionalProperties": whole]]],
        "else": whole,
      ],
    ]
  }()
}

extension Schema {
  /// The map, with the rules between its keys.
  fileprivate func tree(with more: [JSONValue] = []) -> JSONValue {
    let properties = keys.map { key in
      let value: JSONValue = ["description": .text(key.help)]
      return JSONValue.Member(key.name, value.with(key.form.reference))
    }
    let tree: JSONValue = [
      "type": "object", "properties": .object(properties),
      "additionalProperties": isOpen ? JSONForm.oneOrMore(JSONForm.anyText) : false,
    ]
    let all = rules.map(\.kind.tree) + conditions() + more
    return all.isEmpty ? tree : tree.with(["allOf": .list(all)])
  }
}

// MARK: - Jobs

/// The rules between a job's values: its content and its outputs.
extension Language {
  /// The rules of every job.
  private static let jobConditions: [JSONValue] = [
    [
      "if": Schema.Rule.Kind.someOf(manyClips).tree,
      "then": [
        "properties": [
          "channels": ["not": ["type": "string", "pattern": .text(Pattern.pickedChannel)]]
        ]
      ],
    ],
    [
      "if": ["required": ["split"]],
      "then": [
        "properties": [
          "output": eachOutput(text: partPath, map: ["properties": ["file": partPath]])
        ]
      ],
    ],
    rangeCondition, silenceCondition,
  ]

  /// The rules of a job without keys from elsewhere: files in a folder are named after an input or
  /// a clip.
  private static let inputCondition: JSONValue = [
    "if": Schema.Rule.Kind.someOf(manyClips).tree.with(["not": ["required": ["for_each"]]]),
    "then": ["properties": ["output": eachOutput(map: ["not": ["required": ["folder"]]])]],
  ]

  /// The keys that make a job more than one clip.
  private static let manyClips = contentNames.filter { $0 != "clip" }

  /// A path with a variable of the part.
  private static let partPath: JSONValue = [
    "type": "string", "pattern": .text(Pattern.partTemplate),
  ]

  /// A rule for every output, alone or in a list.
  private static func eachOutput(text: JSONValue = true, map: JSONValue) -> JSONValue {
    let one: JSONValue = ["if": ["type": "object"], "then": map, "else": text]
    return ["if": ["type": "array"], "then": ["items": one], "else": one]
  }
}
