/// Holds documents to the schemas in `docs/schemas`, with a validator that nobody here wrote.
public enum JSONSchema {
  /// Checks a JSON document by a schema, as `report` for `report.schema.json`.
  ///
  /// - Throws: `ToolFailure` with all that is wrong.
  public static func validate(_ document: String, as name: String) throws {
    try validate([document], as: name)
  }

  /// Checks lines of JSON, each a document of its own.
  ///
  /// - Throws: `ToolFailure` with all that is wrong.
  public static func validate(lines: String, as name: String) throws {
    try validate(lines.split(separator: "\n").map { String($0) }, as: name)
  }

  private static func validate(_ documents: [String], as name: String) throws {
    let folder = TestFolder()
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    var paths: [String] = []
    for (index, document) in documents.enumerated() {
      paths.append(folder.path("\(index).json"))
      try writeFile(paths[index], document.utf8)
    }
    let result = try Tool.run(
      ["/usr/bin/python3", "-c", validator, "/\(root)/docs/schemas", name] + paths)
    guard result.status == 0, result.text.isEmpty, !paths.isEmpty else {
      throw ToolFailure(description: "\(name): \(result.text)\(result.errors)\(documents)")
    }
  }

  private static let validator = """
    import json, sys, warnings
    warnings.simplefilter("ignore")
    import jsonschema
    folder, name = sys.argv[1:3]
    schema = json.load(open(f"{folder}/{name}.schema.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    resolver = jsonschema.RefResolver(f"file://{folder}/{name}.schema.json", schema)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
    for path in sys.argv[3:]:
        for error in validator.iter_errors(json.load(open(path, encoding="utf-8"))):
            print(error.json_path, error.message)
    """
}
