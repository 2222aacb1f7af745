import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import TimeLists
import YAML

// MARK: - for_each

extension Decoder {
  /// The loop of a job; nil without one, after a report.
  func loop(_ fields: Fields, _ scope: Scope) -> JobLoop? {
    // Both break a rule, which was reported.
    guard fields["for_each"] == nil || fields["rows"] == nil else { return nil }
    if let entry = fields["for_each"] { return product(entry.value, scope) }
    return fields["rows"].flatMap { table($0.value, fields["group_by"], scope) }
  }

  /// Whether a refused `for_each` would bind files.
  func bindsFiles(_ entry: YAMLEntry) -> Bool {
    guard case .mapping(let axes) = entry.value.kind else { return true }
    return axes.contains { $0.key == "input" }
  }

  private func product(_ node: YAMLNode, _ scope: Scope) -> JobLoop? {
    guard case .mapping(let entries) = node.kind else {
      return inputs(of: node, scope).flatMap {
        loop(.product([$0]), LoopNames([:], bindsInput: true), of: node)
      }
    }
    if entries.isEmpty {
      sink.error("no lists", at: node.origin, help: "write \(Self.productExample)")
    }
    var axes: [JobLoop.Axis] = []
    var indices: [String: Int] = [:]
    var isWhole = !entries.isEmpty
    for entry in entries {
      guard let axis = axis(entry, scope) else {
        isWhole = false
        continue
      }
      if entry.key != "input" { indices[entry.key] = indices.count }
      axes.append(axis)
    }
    guard isWhole else { return nil }
    let bindsInput = axes.count > indices.count
    return loop(.product(axes), LoopNames(indices, bindsInput: bindsInput), of: node)
  }

  private static let productExample = "{ lang: [en, de], length: [30s, 60s] }"

  /// One list of a product: `input` has files, every other name values.
  private func axis(_ entry: YAMLEntry, _ scope: Scope) -> JobLoop.Axis? {
    if entry.value.isMissing { return nil }
    if entry.key == "input" { return inputs(of: entry.value, scope) }
    guard isFree(entry) else { return nil }
    guard case .sequence(let nodes) = entry.value.kind else {
      sink.error(
        "'\(entry.key)' is a list of values, not \(entry.value.description)",
        at: entry.value.origin,
        help: isPattern(entry.value)
          ? "files are gone through as 'input': { input: ... }" : "write \(Self.productExample)")
      return nil
    }
    let values = values(nodes, of: entry.value, scope)
    noteForeign(entry.key, nodes)
    return values.map { .values($0) }
  }

  /// Whether a loop may bind a name: no variable of the file has it.
  private func isFree(_ entry: YAMLEntry) -> Bool {
    guard checkName(entry) else { return false }
    guard let other = globalPlaces[entry.key] else { return true }
    sink.error(
      "'\(entry.key)' has a text already", at: entry.keyOrigin, help: "choose another name",
      notes: [.init("it is given here", at: other)])
    return false
  }

  private func isPattern(_ node: YAMLNode) -> Bool {
    if case .scalar(let scalar) = node.kind { FilePattern.isPattern(scalar.text) } else { false }
  }

  func checkName(_ entry: YAMLEntry) -> Bool {
    if VariableName.isReserved(entry.key) {
      refusedNames.insert(entry.key)
      sink.error(
        "'\(entry.key)' is a name of the language's own", at: entry.keyOrigin,
        help: "choose another name")
      return false
    }
    guard VariableName.isPossible(entry.key) else {
      sink.error(
        "'\(entry.key)' cannot be a variable's name", at: entry.keyOrigin,
        help: "a name is made of letters, digits, '_', '-' and '.'")
      return false
    }
    return true
  }

  /// Texts, each once; nil if one is refused.
  private func values(_ nodes: [YAMLNode], of node: YAMLNode, _ scope: Scope) -> [String]? {
    if nodes.isEmpty { refuseEmpty(node, Values.loop) }
    let found = nodes.map { ($0, text($0, scope)) }
    var seen: [String: Origin] = [:]
    var isWhole = !nodes.isEmpty
    for (node, text) in found {
      guard let text else {
        isWhole = false
        continue
      }
      guard let other = seen.updateValue(node.origin, forKey: text.string) else { continue }
      sink.error(
        "'\(MediaURL.shown(text.string))' twice", at: node.origin, help: "leave one of them out",
        notes: [.init("first written here", at: other)])
      isWhole = false
    }
    return isWhole ? found.compactMap { $0.1?.string } : nil
  }

  private func loop(_ kind: JobLoop.Kind, _ names: LoopNames, of node: YAMLNode) -> JobLoop? {
    var count = 1
    var counts: [Int] = []
    switch kind {
    case .product(let axes): counts = axes.map(\.count)
    case .rows(_, let groups): counts = [groups.count]
    }
    for factor in counts {
      let (product, isTooLarge) = count.multipliedReportingOverflow(by: factor)
      count = isTooLarge ? .max : product
    }
    guard count <= jobLimit, jobCount + count <= jobLimit else {
      let limit = "a file makes at most \(grouped(jobLimit))"
      let number = count == .max ? "more jobs than can be counted" : "\(grouped(count)) jobs"
      sink.error(
        counts.count > 1
          ? "\(counts.map(grouped).joined(separator: " × ")) are \(number): \(limit)"
          : "\(number)\(jobCount > 0 ? " more" : ""): \(limit)",
        at: node.origin,
        help: jobLimit == JobLoop.countLimit
          ? "move them into several files" : "allow more with --max-jobs")
      return nil
    }
    jobCount += count
    return JobLoop(
      kind, names: names, home: node.folder ?? folder, currentDirectory: files.currentDirectory)
  }

  // MARK: Files

  /// The files of a pattern, an address, the files and addresses of a list of both, each once, or
  /// values that are no files.
  private func inputs(of node: YAMLNode, _ scope: Scope) -> JobLoop.Axis? {
    guard case .sequence(let list) = node.kind else {
      guard !isMap(node) else {
        sink.error(
          "'input' is a pattern or a list, not a map", at: node.origin,
          help: "write { input: raw/*.wav }")
        return nil
      }
      let found = text(node, scope).map { inputs($0, isElement: false) } ?? []
      noteAddresses(found, [node])
      return found.isEmpty ? nil : .inputs(found)
    }
    let (nodes, exclusions) = self.exclusions(among: list, scope)
    let texts = nodes.map { text($0, scope) }
    if !nodes.isEmpty, texts.allSatisfy({ $0.map(isValue) ?? false }) {
      noteForeign("input", nodes)
      return values(nodes, of: node, scope).map { .inputs($0.map { .value($0) }) }
    }
    if list.isEmpty { refuseEmpty(node, Values.loop) }
    if refusesMixture(texts) { return nil }
    var seen: Set<MediaLocation?> = []
    let found = texts.compactMap { $0 }.flatMap { inputs($0, isElement: true) }
      .filter { seen.insert($0.medium?.location).inserted }
    noteAddresses(found, nodes)
    let left = found.filter { input in
      input.medium?.location.file.map { !exclusions.cover($0) } ?? true
    }
    if left.isEmpty, !found.isEmpty {
      sink.error(
        "nothing is left of \(found.count) files", at: node.origin,
        help: "exclude less: '!' leaves out what a pattern matches, and folders with all they hold")
    }
    return left.isEmpty ? nil : .inputs(left)
  }

  /// Notes that `input` has words of the nodes, if it has addresses: those stand in the file, and
  /// names of files do not.
  private func noteAddresses(_ inputs: [InputBinding.Kind], _ nodes: [YAMLNode]) {
    if inputs.contains(where: { $0.medium?.location.url != nil }) { noteForeign("input", nodes) }
  }

  /// Reports words among `texts` that are no files where others are; gives whether it did.
  private func refusesMixture(_ texts: [Text?]) -> Bool {
    let words = texts.compactMap { $0 }.filter(isValue)
    guard !words.isEmpty, words.count < texts.count else { return false }
    for word in words {
      sink.error(
        "'\(word.string)' is a value, and the list has files, too", at: word.origin,
        help: "write { input: [a.wav, b.wav], lang: [en, de] }; a file is './\(word.string)'")
    }
    return true
  }

  func isMap(_ node: YAMLNode) -> Bool {
    if case .mapping = node.kind { true } else { false }
  }

  /// The files of a pattern, or an address.
  private func inputs(_ text: Text, isElement: Bool) -> [InputBinding.Kind] {
    if MediaURL.scheme(of: text.string) != nil {
      return address(text.string, of: text, at: text.origin, isElement: isElement).map {
        [.address($0)]
      } ?? []
    }
    var pattern = text.pattern(0..<text.string.unicodeScalars.count)
    var isFound = FilePattern.isPattern(pattern)
    // A name with brackets that a file has is that file, as in a list of clips. `*.wav` is all of them.
    if FilePattern.isPattern(pattern), !FilePattern.Classes(of: pattern).hasOthers,
      (try? Self.checkPath(text.path)) != nil,
      kind(of: path(text)) == .file
    {
      (pattern, isFound) = (FilePattern.escaped(text.path), false)
    }
    let isGood: Void? = checked(at: text.origin) { () throws(QuantityError) in
      try Self.checkPath(text.path)
      if !FilePattern.isPattern(pattern) { try checkEnd(of: text.path, path(text), .input) }
    }
    guard isGood != nil else { return [] }
    return matches(pattern, at: text.origin, in: text.folder, isLoop: true).map {
      if isFound { foundFiles.insert($0.path) }
      return .file($0.path, below: $0.folder)
    }
  }

  /// `en`, `30s`: a word that is no file's name and does not look like one.
  private func isValue(_ text: Text) -> Bool {
    let word = text.string
    guard !word.containsScalars("/"), !word.hasPrefix("~"),
      !FilePattern.isPattern(text.pattern(0..<word.unicodeScalars.count)), !word.isEmpty
    else { return false }
    let hasExtension = FilePath(word).extension?.first.map { $0.isLetter } ?? false
    return !hasExtension && kind(of: path(text)) == nil
  }
}

// MARK: - rows

extension Decoder {
  private func table(_ node: YAMLNode, _ groupBy: YAMLEntry?, _ scope: Scope) -> JobLoop? {
    guard let path = path(node, scope), let table = table(at: path) else { return nil }
    let names = LoopNames(table.columns, bindsRow: true)
    guard let groupBy else {
      return loop(.rows(table, groups: table.single), names, of: node)
    }
    guard let name = text(groupBy.value, scope)?.string else { return nil }
    guard let column = table.header.firstIndex(of: name), !name.isEmpty else {
      let known = table.isQuoted ? table.header : []
      let help = sink.isSuggesting ? Spelling.help(for: name, among: known) : nil
      let all = known.filter { !$0.isEmpty }
      sink.error(
        "'\(path.value)' has no column '\(name)'", at: groupBy.value.origin,
        help: help
          ?? (all.count > 10 || all.isEmpty ? nil : "its columns are \(all.quoted)"))
      return nil
    }
    return loop(.rows(table, groups: table.groups(by: column)), names, of: node)
  }

  private func table(at path: Located<FilePath>) -> Table? {
    texts.insert(path.value)
    if let known = tables[path.value] { return known }
    let table = readTable(path)
    tables[path.value] = .some(table)
    return table
  }

  private func readTable(_ path: Located<FilePath>) -> Table? {
    guard
      let contents = contents(of: path, limit: Table.sizeLimit, as: .table)
    else { return nil }
    let result = TableReader.read(
      contents.bytes, path: path.value, named: path.origin, isQuoted: isQuoted(contents), in: map)
    sink.add(result.sink)
    return result.table
  }
}
