import Diagnosis
import Files
import SystemPackage

/// A path with wildcards: `*`, `?`, `[a-z]`, `[!a]`, `{mp3,flac}`, and `**` for any number of
/// folders. `\` makes the next character literal. Only patterns that begin with a dot match names
/// that do. The extension after a wildcard matches in any case: recorders write `ZOOM0001.WAV`.
struct FilePattern {
  /// The special characters of a pattern.
  static let special: Set<Unicode.Scalar> = ["*", "?", "[", "]", "{", "}", "\\"]
  /// `{a,b}{c,d}…` multiply.
  static let alternativeLimit = 1000
  /// The deepest folder.
  static let depthLimit = 64
  /// How many folders are opened on paths with links, which may multiply folders.
  static let folderLimit = 100_000

  /// Whether `text` has wildcards.
  static func isPattern(_ text: String) -> Bool {
    var isEscaped = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "{"):
        if !isEscaped { return true }
        isEscaped = false
      case UInt8(ascii: "\\"): isEscaped.toggle()
      default: isEscaped = false
      }
    }
    return false
  }

  struct Match: Hashable {
    /// Its path, beginning with the pattern's fixed part.
    var path: FilePath
    /// The folders between the pattern's fixed part and the file, if any.
    var folder: FilePath
  }

  /// Why a pattern has no files.
  enum Failure: Error {
    case noFolder(FilePath)
    /// This folder lies outside the one that holds all files.
    case outside(FilePath)
    case noMatch(in: FilePath)
    case tooManyAlternatives
    case tooManyFolders
  }

  private let alternatives: [[PatternComponent]]

  /// The folders before the first wildcard.
  let fixedPart: FilePath

  init(_ text: String) throws(Failure) {
    let isAbsolute = text.startsWithScalars("/")
    var expanded: [String] = []
    try Self.expandBraces(text, into: &expanded)
    alternatives = Set(expanded).map { text in
      var names = text.splitScalars(at: "/").filter { $0 != "." }
      // `**/**` is `**`.
      for index in names.indices.dropLast().reversed()
      where names[index] == "**" && names[index + 1] == "**" {
        names.remove(at: index)
      }
      return names.enumerated().map {
        PatternComponent(String($1), isFile: $0 == names.count - 1)
      }
    }
    // The fixed part is that of the text before braces are expanded: `a/{b,c}/*` is fixed in `a`.
    var fixed = FilePath(isAbsolute ? "/" : "")
    let words = text.splitScalars(at: "/").filter { $0 != "." }
    for word in words.dropLast() {
      guard !Self.isPattern(String(word)), let name = PatternComponent(String(word)).literal,
        let component = FilePath.Component(name)
      else { break }
      fixed.append(component)
    }
    fixedPart = fixed
  }

  /// The regular files that match below `base`, in natural order; of folders behind links at most
  /// `limit` are opened.
  func matches(
    in files: some FileSystem, base: FilePath, limit: Int = folderLimit
  ) throws(Failure) -> [Match] {
    let root = fixedPart.root == nil ? base.pushing(fixedPart) : fixedPart
    switch files.kind(of: root.isEmpty ? "." : root) {
    case .folder: break
    case .outside: throw .outside(fixedPart)
    default: throw .noFolder(fixedPart)
    }
    let skipped = fixedPart.components.count
    var walk = Walk(
      files: files, patterns: alternatives.map { Array($0.dropFirst(skipped)) }, limit: limit)
    try walk.descend(root, from: Set(alternatives.indices.map { Spot(pattern: $0) }), depth: 0)
    guard !walk.found.isEmpty else { throw .noMatch(in: fixedPart) }
    let rootCount = root.components.count
    return NaturalOrder.sorted(walk.found).map { path in
      Match(
        path: path, folder: FilePath(root: nil, path.components.dropFirst(rootCount).dropLast()))
    }
  }

  /// Whether `path`, which a pattern found, or a folder above it matches this pattern below `base`:
  /// by names alone, with `..` resolved in both.
  ///
  /// - Complexity: O(names in `path` · names in the pattern · length of a name)
  func covers(_ path: FilePath, base: FilePath, in currentDirectory: FilePath) -> Bool {
    func names(_ path: FilePath) -> [String] {
      path.normalized(in: currentDirectory).components.map(\.string)
    }
    let (all, start) = (names(path), names(base.pushing(fixedPart)))
    guard all.starts(with: start) else { return false }
    let rest = all.dropFirst(start.count)
    return alternatives.contains { pattern in
      let alternative = Array(pattern.dropFirst(fixedPart.components.count))
      // The possible numbers of matched names of the pattern.
      var states: Set<Int> = [0]
      for name in rest {
        var next: Set<Int> = []
        for state in states {
          var state = state
          // `**` matches no folder, too.
          while state < alternative.count, alternative[state].isAnyDepth {
            next.insert(state)
            state += 1
          }
          guard state < alternative.count else { return true }
          if alternative[state].matches(name) { next.insert(state + 1) }
        }
        if next.contains(alternative.count) { return true }
        states = next
      }
      return false
    }
  }

  private static func expandBraces(_ text: String, into result: inout [String]) throws(Failure) {
    let scalars = Array(text.unicodeScalars)
    guard let (open, commas, close) = firstBrace(scalars) else {
      guard result.count < alternativeLimit else { throw .tooManyAlternatives }
      result.append(text)
      return
    }
    let bounds = [open] + commas + [close]
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[..<open])
      view.append(contentsOf: scalars[(start + 1)..<end])
      view.append(contentsOf: scalars[(close + 1)...])
      try expandBraces(String(view), into: &result)
    }
  }

  /// The first `{a,b}` that has a comma and an end.
  private static func firstBrace(_ scalars: [Unicode.Scalar]) -> (Int, [Int], Int)? {
    var stack: [(open: Int, commas: [Int])] = []
    var isEscaped = false
    for (index, scalar) in scalars.enumerated() {
      defer { isEscaped = !isEscaped && scalar == "\\" }
      if isEscaped { continue }
      switch scalar {
      case "{": stack.append((index, []))
      case "," where !stack.isEmpty: stack[stack.count - 1].commas.append(index)
      case "}":
        guard let top = stack.popLast(), !top.commas.isEmpty else { continue }
        return (top.open, top.commas, index)
      default: break
      }
    }
    return nil
  }
}

/// A name of a pattern that is to be matched next.
private struct Spot: Hashable {
  var pattern: Int
  var name = 0
  var next: Spot { Spot(pattern: pattern, name: name + 1) }
}

extension FilePattern {
  /// One walk through the folders, each of which is opened once, by all patterns together. Below `**` it
  /// does not follow links to folders, so that it ends.
  private struct Walk<Files: FileSystem> {
    let files: Files
    let patterns: [[PatternComponent]]
    let limit: Int
    private(set) var found: Set<FilePath> = []
    private var folderCount = 0

    init(files: Files, patterns: [[PatternComponent]], limit: Int) {
      (self.files, self.patterns, self.limit) = (files, patterns, limit)
    }

    private func isLast(_ spot: Spot) -> Bool { spot.name == patterns[spot.pattern].count - 1 }

    mutating func descend(
      _ folder: FilePath, from spots: Set<Spot>, depth: Int, isLinked: Bool = false
    ) throws(FilePattern.Failure) {
      guard depth < FilePattern.depthLimit else { return }
      var open = spots.filter { $0.name < patterns[$0.pattern].count }
      // `**` matches no folder, too.
      for spot in open where patterns[spot.pattern][spot.name].isAnyDepth && !isLast(spot) {
        open.insert(spot.next)
      }
      var below: [FilePath: Set<Spot>] = [:]
      var links: Set<FilePath> = []
      var isListed = false
      for spot in open {
        guard let literal = patterns[spot.pattern][spot.name].literal else {
          isListed = true
          continue
        }
        guard let name = FilePath.Component(literal) else { continue }
        let path = folder.appending(name)
        try visit(path, files.kind(of: path), spot, &below)
      }
      if isListed {
        if isLinked { folderCount += 1 }
        guard folderCount <= limit else { throw .tooManyFolders }
        for entry in files.entries(of: folder.isEmpty ? "." : folder) ?? [] {
          if entry.isLink { links.insert(folder.appending(entry.name)) }
          for spot in open { try match(entry, in: folder, spot, &below) }
        }
      }
      for (path, spots) in below {
        let isLinked = isLinked || links.contains(path)
        try descend(path, from: spots, depth: depth + 1, isLinked: isLinked)
      }
    }

    private mutating func match(
      _ entry: FolderEntry, in folder: FilePath, _ spot: Spot, _ below: inout [FilePath: Set<Spot>]
    ) throws(FilePattern.Failure) {
      let component = patterns[spot.pattern][spot.name]
      guard component.isAnyDepth else {
        if component.literal == nil, component.matches(entry.name.string) {
          try visit(folder.appending(entry.name), entry.kind, spot, &below)
        }
        return
      }
      guard !entry.name.beginsWithDot else { return }
      if entry.kind == .folder, !entry.isLink {
        below[folder.appending(entry.name), default: []].insert(spot)
      } else if isLast(spot), entry.kind == .file || entry.kind == .outside {
        found.insert(folder.appending(entry.name))
      }
    }

    private mutating func visit(
      _ path: FilePath, _ kind: FileKind?, _ spot: Spot, _ below: inout [FilePath: Set<Spot>]
    ) throws(FilePattern.Failure) {
      switch kind {
      case .file where isLast(spot): found.insert(path)
      case .folder where !isLast(spot): below[path, default: []].insert(spot.next)
      // Who reads it is told: leaving it out would be a silent decision.
      case .outside where isLast(spot): found.insert(path)
      case .outside: throw .outside(path)
      default: break
      }
    }
  }
}

/// One name of a pattern.
private struct PatternComponent {
  private enum Token {
    case scalar(Unicode.Scalar)
    /// A letter of an extension, in lower case.
    case letter(Unicode.Scalar)
    case any
    case anyRun
    case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)

    func matches(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .scalar(let own): own == scalar
      case .letter(let own): own.value == scalar.value | 0x20
      case .any: true
      case .anyRun: false
      case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
      }
    }
  }

  private let tokens: [Token]
  /// The name itself, if it has no wildcard.
  let literal: String?
  /// `**`
  let isAnyDepth: Bool

  /// One name; `isFile` for the last one of its pattern.
  init(_ text: String, isFile: Bool = false) {
    isAnyDepth = text == "**"
    var tokens = Self.tokens(of: Array(text.unicodeScalars))
    if isFile { Self.ignoreCase(ofExtension: &tokens) }
    self.tokens = tokens
    literal = Self.literal(tokens)
  }

  private static func ignoreCase(ofExtension tokens: inout [Token]) {
    let suffix = tokens.reversed().prefix { token in
      if case .scalar(let scalar) = token { scalar != "." && scalar.isASCII } else { false }
    }
    guard suffix.count < tokens.count, case .scalar(".") = tokens[tokens.count - suffix.count - 1],
      tokens.contains(where: { if case .scalar = $0 { false } else { true } })
    else { return }
    for index in (tokens.count - suffix.count)..<tokens.count {
      guard case .scalar(let scalar) = tokens[index], scalar.properties.isAlphabetic else {
        continue
      }
      tokens[index] = .letter(Unicode.Scalar(UInt8(ascii: scalar) | 0x20))
    }
  }

  private static func literal(_ tokens: [Token]) -> String? {
    var name = String.UnicodeScalarView()
    for token in tokens {
      guard case .scalar(let scalar) = token else { return nil }
      name.append(scalar)
    }
    return String(name)
  }

  /// Whether the whole of `name` matches.
  ///
  /// - Complexity: O(length of name · tokens): only the last `*` is ever tried again.
  func matches(_ name: String) -> Bool {
    let scalars = Array(name.unicodeScalars)
    if scalars.first == ".", let first = tokens.first {
      guard case .scalar(".") = first else { return false }
    }
    var (i, t) = (0, 0)
    var retry: (name: Int, token: Int)?
    while i < scalars.count {
      if t < tokens.count, case .anyRun = tokens[t] {
        retry = (i, t)
        t += 1
      } else if t < tokens.count, tokens[t].matches(scalars[i]) {
        i += 1
        t += 1
      } else if let last = retry {
        retry = (last.name + 1, last.token)
        i = last.name + 1
        t = last.token + 1
      } else {
        return false
      }
    }
    return tokens[t...].allSatisfy { if case .anyRun = $0 { true } else { false } }
  }

  private static func tokens(of scalars: [Unicode.Scalar]) -> [Token] {
    var tokens: [Token] = []
    var index = 0
    while index < scalars.count {
      switch scalars[index] {
      case "\\" where index + 1 < scalars.count:
        index += 1
        tokens.append(.scalar(scalars[index]))
      case "*":
        if case .anyRun? = tokens.last { break }
        tokens.append(.anyRun)
      case "?": tokens.append(.any)
      case "[":
        guard let (set, end) = set(in: scalars, at: index) else {
          tokens.append(.scalar("["))
          break
        }
        tokens.append(set)
        index = end
      default: tokens.append(.scalar(scalars[index]))
      }
      index += 1
    }
    return tokens
  }

  private static func set(in scalars: [Unicode.Scalar], at open: Int) -> (Token, Int)? {
    guard let (contents, isNegated) = FilePattern.characterClass(in: scalars, at: open) else {
      return nil
    }
    var index = contents.lowerBound
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    while index < contents.upperBound {
      if index + 2 < contents.upperBound, scalars[index + 1] == "-",
        scalars[index] <= scalars[index + 2]
      {
        ranges.append(scalars[index]...scalars[index + 2])
        index += 3
      } else {
        ranges.append(scalars[index]...scalars[index])
        index += 1
      }
    }
    return (.set(ranges, isNegated: isNegated), contents.upperBound)
  }
}
