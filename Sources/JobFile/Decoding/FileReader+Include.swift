import Diagnosis
import MediaComposition
import SystemPackage
import YAML

/// The content of included files counts as if it stood before the file's own.
extension FileReader {
  /// The most files included, directly or not.
  private static let countLimit = 100
  private static let depthLimit = 16

  /// The maps that are merged.
  private static let sections =
    Language.fileKeys.filter { $0.form.shapes == [.map] }.map(\.name)

  /// Merges included files into `fields`, those of the outermost map.
  ///
  /// - Parameters:
  ///   - fields: Has the `include` to follow.
  ///   - roots: Gets the outermost map of each file that is read.
  mutating func include(into fields: inout Fields, _ roots: inout [YAMLNode]) {
    guard fields["include"] != nil else { return }
    var files: [Fields] = []
    collect(
      fields, path, chain: [Visit(key: key(path), path: path, origin: .unknown)], into: &files,
      &roots)
    for section in Self.sections { merge(section, of: files, into: &fields) }
  }

  /// A file that is being included.
  private struct Visit {
    /// The path's identity by `key`.
    var key: FilePath
    var path: FilePath
    /// Where it is named.
    var origin: Origin
  }

  private func key(_ path: FilePath) -> FilePath {
    path.normalized(in: decoder.files.currentDirectory)
  }

  /// Reads the files that `fields` of the file at `path` include, each before the file that
  /// includes it.
  private mutating func collect(
    _ fields: Fields, _ path: FilePath, chain: [Visit], into files: inout [Fields],
    _ roots: inout [YAMLNode]
  ) {
    guard let entry = fields["include"] else { return }
    let nodes = entry.value.elements
    if nodes.isEmpty { decoder.refuseEmpty(entry.value, Values.includes) }
    for node in nodes where newerVersion == nil {
      let count = decoder.sink.diagnostics.errors.count
      guard let other = includedPath(node), let root = root(of: other, chain: chain) else {
        // Its variables are unknown, and no mistake of the file that uses them.
        if decoder.sink.diagnostics.errors.count > count { lacksInclude = true }
        continue
      }
      roots.append(root)
      guard checkVersion(root), let inner = includedFields(root) else { continue }
      let visit = Visit(key: key(other.value), path: other.value, origin: other.origin)
      collect(inner, other.value, chain: chain + [visit], into: &files, &roots)
      files.append(inner)
    }
  }

  /// A path, which cannot use variables: these are known later.
  private func includedPath(_ node: YAMLNode) -> Located<FilePath>? {
    guard case .scalar(let scalar) = node.kind else {
      if !node.isMissing {
        decoder.sink.error(
          "a path belongs here, not \(node.description)", at: node.origin,
          help: "write include: [shows.yaml, defaults.yaml]")
      }
      return nil
    }
    guard scalar.template == nil else {
      decoder.sink.error(
        "a variable in 'include'", at: node.origin,
        help: "files are included before variables are read: write the path out")
      return nil
    }
    return decoder.path(node, Scope(globals: [:], environment: [:]))
  }

  /// The outermost map of an included file that was not read before.
  private mutating func root(of other: Located<FilePath>, chain: [Visit]) -> YAMLNode? {
    let name = key(other.value)
    if let index = chain.firstIndex(where: { $0.key == name }) {
      decoder.sink.error(
        "'\(other.value)' includes itself", at: other.origin, help: "leave it out",
        notes: chain.dropFirst(index + 1).map { .init("by way of '\($0.path)'", at: $0.origin) })
      return nil
    }
    // Two files may include a third one.
    guard !included.contains(where: { key($0) == name }) else { return nil }
    guard included.count < Self.countLimit, chain.count <= Self.depthLimit else {
      decoder.sink.error(
        included.count < Self.countLimit
          ? "more than \(Self.depthLimit) files within one another"
          : "more than \(Self.countLimit) files are included", at: other.origin,
        help: "put several of them into one")
      return nil
    }
    included.append(other.value)
    guard decoder.kind(of: other.value) == .file else {
      if decoder.kind(of: other.value) == .folder {
        decoder.sink.error(
          "'\(other.value)' is a folder", at: other.origin, help: "name a file in it")
      } else {
        decoder.checkFile(other.value, at: other.origin, mayBeMissing: false)
      }
      return nil
    }
    do throws(Diagnostics) {
      let contents = try JobFile.contents(
        of: other.value, decoder.files, includedAt: other.origin)
      bytes += contents.bytes.count
      guard bytes <= YAMLReader.sizeLimit else {
        throw Diagnostics(
          "with what it includes, the file has more than \(YAMLReader.sizeLimit >> 20) MiB",
          at: other.origin, help: "move the jobs into several job files")
      }
      return decoder.keep(
        try YAMLReader.read(
          contents.bytes, at: other.value, includedAt: other.origin,
          isQuoted: decoder.isQuoted(contents), into: decoder.map, sink: &decoder.sink))
    } catch {
      for diagnostic in error.all { decoder.sink.add(diagnostic) }
      return nil
    }
  }

  private func includedFields(_ root: YAMLNode) -> Fields? {
    guard case .mapping(let entries) = root.kind else {
      return decoder.fields(of: root, as: Language.included)
    }
    let misplaced = entries.filter { Language.job[$0.key] != nil }
    guard let first = misplaced.first else {
      return decoder.fields(of: root, as: Language.included)
    }
    decoder.sink.error(
      "'\(first.key)' in a file that is included", at: first.keyOrigin,
      help: "put the job under 'jobs', with a name")
    // What else it has counts: a job that uses its variables is right.
    let rest = entries.filter { Language.job[$0.key] == nil }
    let node = YAMLNode(.mapping(rest), origin: root.origin, in: root.folder)
    return decoder.fields(of: decoder.keep(node), as: Language.included)
  }

  // MARK: One file of many

  /// Merges a section of all files into one map. Keys of two files are refused, as repeated keys of
  /// one file would be.
  private func merge(_ section: String, of files: [Fields], into fields: inout Fields) {
    let all = (files + [fields]).compactMap { $0[section] }
    guard let last = all.last, all.count > 1 || fields[section] == nil else { return }
    var entries: [YAMLEntry] = []
    var places: [String: Int] = [:]
    for entry in all.flatMap(\.value.entries) {
      guard let place = places[entry.key] else {
        places[entry.key] = entries.count
        entries.append(entry)
        continue
      }
      if section == "defaults", entry.key == "metadata" {
        entries[place].value = decoder.merged(
          entries[place].value, with: entry.value, isOverride: false)
        continue
      }
      decoder.sink.error(
        "'\(entry.key)' of '\(section)' stands in two files", at: entry.keyOrigin,
        help: "keep one of them",
        notes: [.init("the other one is here", at: entries[place].keyOrigin)])
    }
    let node = YAMLNode(.mapping(entries), origin: last.value.origin, in: last.value.folder)
    fields.replace(
      YAMLEntry(key: section, keyOrigin: last.keyOrigin, value: decoder.keep(node)))
  }
}

// MARK: - Defaults

extension Decoder {
  /// Alternative keys of a job: its own key replaces the others, too.
  private static let alternatives = Language.jobRules.compactMap { rule in
    if case .atMostOneOf(let keys) = rule.kind { keys } else { nil }
  }

  /// `fields` of a job with the file's `defaults` for missing keys. Tags are merged one by one;
  /// every other key is the job's own or the default's, whole.
  func withDefaults(_ fields: Fields) -> Fields {
    guard let defaults else { return fields }
    var result = fields
    for entry in defaults.entries {
      if entry.key == "metadata", let own = fields["metadata"] {
        let value = merged(entry.value, with: own.value, isOverride: true)
        result.replace(YAMLEntry(key: "metadata", keyOrigin: own.keyOrigin, value: value))
      } else if !isSaid(entry.key, in: fields) {
        result.append(entry)
      }
    }
    return result
  }

  /// Whether a job has a key that excludes the default `key`.
  private func isSaid(_ key: String, in fields: Fields) -> Bool {
    func isThere(_ key: String) -> Bool { fields[key] != nil || fields.refused.contains(key) }
    if isThere(key) { return true }
    switch key {
    case "group_by": return isThere("for_each")
    case "stream": return ["concat", "tracks", "silence"].contains(where: isThere)
    default: return Self.alternatives.contains { $0.contains(key) && $0.contains(where: isThere) }
    }
  }

  /// One map of two. For a key in both, `other`'s counts where `isOverride`; else it is refused.
  func merged(_ node: YAMLNode, with other: YAMLNode, isOverride: Bool) -> YAMLNode {
    guard case .mapping(var entries) = node.kind, case .mapping(let others) = other.kind else {
      return other
    }
    var places = Dictionary(
      entries.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in others {
      guard let place = places[entry.key] else {
        places[entry.key] = entries.count
        entries.append(entry)
        continue
      }
      if isOverride {
        entries[place] = entry
      } else {
        sink.error(
          "'\(entry.key)' stands in two files", at: entry.keyOrigin, help: "keep one of them",
          notes: [.init("the other one is here", at: entries[place].keyOrigin)])
      }
    }
    return keep(YAMLNode(.mapping(entries), origin: other.origin, in: other.folder))
  }
}
