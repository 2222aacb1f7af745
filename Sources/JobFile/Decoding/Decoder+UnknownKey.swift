import Diagnosis
import YAML

extension Decoder {
  /// Reports a key that a map has not, with the one that was perhaps meant.
  func refuseUnknown(_ entry: YAMLEntry, by schema: Schema) {
    guard !sink.drops(at: entry.keyOrigin) else { return }
    let nearest = Spelling.nearest(to: entry.key, among: schema.names)
    // A key without a value was refused; often it is half of a text.
    guard !entry.value.isMissing || nearest != nil else { return }
    var help = help(for: entry.key, schema)
    if schema["jobs"] != nil, nearest == nil,
      entry.value.hasKey(Language.contentNames.contains)
    {
      help = "a job with a name stands under 'jobs': { \(entry.key): { ... } }"
    }
    sink.error("unknown key '\(entry.key)'", at: entry.keyOrigin, help: help)
  }

  private func help(for word: String, _ schema: Schema) -> String? {
    if let hint = Schema.elsewhere[word.lowercased()],
      schema["clip"] != nil || schema["file"] != nil
    {
      return hint
    }
    if word == "file", schema["clip"] != nil {
      return "write 'clip: …' here; 'file' is a key of 'sources' and of 'output'"
    }
    let others = [Language.item, Language.job, Language.source, Language.output] + Language.maps
    if let other = others.first(where: { $0[word] != nil && $0.subject != schema.subject }) {
      return "'\(word)' is a key of \(other.subject), not of \(schema.subject)"
    }
    if let help = Spelling.help(for: word, among: schema.names) { return help }
    if schema.name == Values.effect.schema.name,
      let help = Spelling.help(forPart: word, among: schema.names)
    {
      return help
    }
    if let meant = Schema.synonyms[word.lowercased()].flatMap({ schema[$0] }) {
      return "write '\(meant.name)'"
    }
    return schema.names.count > 10
      ? "'avjob schema \(schema.name)' lists the keys of \(schema.subject)"
      : "\(schema.subject) has \(schema.names.quoted)"
  }
}
