import MediaComposition

/// What must hold in a job between its values: what it is made of, and where it goes.
extension Schema {
  /// Of every job, whatever it gets from elsewhere.
  static let jobConditions: [JSONTree] = [
    [
      "if": Rule.someOf(manyClips).tree,
      "then": [
        "properties": [
          "channels": ["not": ["type": "string", "pattern": .text(SchemaPattern.pickedChannel)]],
          "output": eachOutput(map: ["not": ["required": ["codec"]]]),
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
  ]

  /// Of a job that gets nothing from elsewhere: a folder's files are called as an input or a clip
  /// is.
  static let inputCondition: JSONTree = [
    "if": Rule.someOf(manyClips).tree.with(["not": ["required": ["for_each"]]]),
    "then": ["properties": ["output": eachOutput(map: ["not": ["required": ["folder"]]])]],
  ]

  /// What makes a job more than one clip.
  private static let manyClips = contents.filter { $0 != "clip" }

  /// A path that says which part it is.
  private static let partPath: JSONTree = [
    "type": "string", "pattern": .text(SchemaPattern.partTemplate),
  ]

  /// What holds for every output, whether there is one or a list of them.
  private static func eachOutput(text: JSONTree = true, map: JSONTree) -> JSONTree {
    let one: JSONTree = ["if": ["type": "object"], "then": map, "else": text]
    return ["if": ["type": "array"], "then": ["items": one], "else": one]
  }
}
