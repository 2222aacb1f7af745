import JSON
import TestSupport
import Testing

@testable import JobFile

/// What SchemaStore asks of a schema, by its CONTRIBUTING.md and cli.js of August 2026; `docs/agents.md`
/// says how ours is submitted.
@Suite struct SchemaStoreTests {
  @Test("Each definition stands for one kind of value")
  func definitions() {
    var trees: [String: String] = [:]
    for key in Language.maps.flatMap(\.keys) + Language.fileKeys {
      let (name, tree) = (key.form.name, key.form.tree().line)
      #expect(trees.updateValue(tree, forKey: name) ?? tree == tree, "\(name)")
    }
  }

  @Test(
    "The schema is one of draft 7, with its keywords alone, and nothing beside a reference counts")
  func draft() throws {
    let folder = TestFolder()
    try writeFile(folder.path("schema.json"), JobFile.schema.utf8)
    let script = #"""
      import json, sys
      schema = json.load(open(sys.argv[1]))
      print(schema["$schema"], schema["$id"], schema["title"], schema["type"], sep="\n")
      words = set("""$schema $id $ref title description definitions type properties required
        additionalProperties propertyNames dependencies minProperties items contains minItems
        maxItems uniqueItems pattern minLength minimum maximum enum const not anyOf allOf oneOf if
        then else""".split())
      maps = {"definitions", "properties", "dependencies"}


      def walk(tree, path):
          if isinstance(tree, bool):
              return
          unknown = set(tree) - words
          assert not unknown, (path, unknown)
          if "$ref" in tree:
              assert set(tree) <= {"$ref", "description"}, (path, tree)
              assert tree["$ref"].removeprefix("#/definitions/") in schema["definitions"], tree
          assert ("if" in tree) == bool({"then", "else"} & set(tree)), (path, tree)
          for word, value in tree.items():
              if word in maps:
                  for name, each in value.items():
                      walk(each, path + [word, name])
              elif word in ("anyOf", "allOf", "oneOf"):
                  for each in value:
                      walk(each, path + [word])
              elif isinstance(value, dict):
                  walk(value, path + [word])


      walk(schema, [])
      """#
    try writeFile(folder.path("walk.py"), script.utf8)
    let result = try Tool.succeed("python3", folder.path("walk.py"), folder.path("schema.json"))
    #expect(
      result.text == """
        http://json-schema.org/draft-07/schema#
        https://www.schemastore.org/avjob.json
        avjob job file, version 1
        object

        """)
  }
}
