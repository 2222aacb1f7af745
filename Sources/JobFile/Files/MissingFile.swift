import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage

/// A missing file of a job file: an error, unless it is a medium, nothing is there and another job
/// of the run writes it.
package struct MissingFile: Sendable {
  /// The path to open.
  package let path: FilePath
  /// Where it is named.
  package let origin: Origin
  /// The kind of file there instead; nil: nothing.
  let isThere: FileKind?
  /// Whether messages may show its path though nothing is there: one that is made of a foreign file's
  /// words would print these.
  let isNamed: Bool
  /// Its spelling in the file; nil: the path.
  let name: String?
  /// A suggestion, as far as it needs no disk.
  let help: String?
  /// Whether it is read for its sound, not as a text or a picture.
  let isMedium: Bool
  let files: any FileSystem

  /// Whether a job that writes it would solve the error.
  package var canBeWritten: Bool { isThere == nil }

  /// The error if no job writes it.
  ///
  /// - Parameter isSuggesting: Whether to look for suggestions on the disk: O(entries of the
  ///   folder).
  /// - Returns: An error at the place.
  package func diagnostic(suggesting isSuggesting: Bool = true) -> Diagnostic {
    let called = name ?? path.string
    guard isNamed || isThere != nil && isThere != .outside else {
      return Diagnostic(
        isThere == nil
          ? "there is no file of the name that is meant here"
          : "the file that is meant here lies outside of '--root'", at: origin,
        help: "the name is not shown, since it has words of a file whose lines are not shown: "
          + Diagnostic.helpToShowWords)
    }
    switch isThere {
    case .folder:
      return Diagnostic(
        "'\(called)' is a folder", at: origin,
        help: help
          ?? (isMedium
            ? "write '\(called.hasSuffix("/") ? called : called + "/")*' in a list for its files"
            : "name a file in it"))
    case .other, .file:
      return Diagnostic(
        "'\(called)' is no regular file", at: origin,
        help: isMedium
          ? "pipes and devices cannot be read: write the sound to a file first"
          : "pipes and devices cannot be read: name a file")
    case .outside:
      return .outside("'\(called)'", at: origin)
    case nil: break
    }
    var help = help ?? Self.help(for: called)
    if isSuggesting, help == nil, let entry = files.nearestEntry(to: path, of: [.file]) {
      help = FilePath(called).suggestion(of: entry)
    }
    if isSuggesting, help == nil { help = whereToLook(for: FilePath(called)) }
    return Diagnostic("there is no file '\(called)'", at: origin, help: help)
  }

  /// Help with characters that seldom are in a name.
  private static func help(for called: String) -> String? {
    if let help = called.blankHelp { return help }
    guard called.contains("\\") else { return nil }
    return "folders are separated by '/': '\(called.replacingScalars("\\", with: "/"))'"
  }

  /// Where to look for a missing path that resembles no other.
  private func whereToLook(for called: FilePath) -> String {
    if !called.isAbsolute, path != called, files.kind(of: called) == .file {
      return "it is where avjob was called: \(Self.rule)"
    }
    var folder = path.removingLastComponent()
    var missing: FilePath?
    while !folder.isEmpty, folder.lastComponent != nil, files.kind(of: folder) == nil {
      missing = folder
      folder = folder.removingLastComponent()
    }
    if let missing {
      let last = missing.lastComponent?.string
      let twin = files.nearestEntry(to: missing, of: [.folder]).flatMap { $0 == last ? $0 : nil }
      return twin.map(missing.suggestion) ?? "there is no folder '\(missing)' either"
    }
    return called.isAbsolute || called == path
      ? "put it there, or name another one"
      : "put it there: \(Self.rule)"
  }

  /// What relative paths are relative to.
  static let rule = "a path counts from the folder of the file that it stands in"

  /// The errors for files that no job writes: some at one place, and a bounded number of all.
  ///
  /// - Complexity: O(n), and O(entries of the folder) for each that is reported
  package static func diagnostics(of files: some Sequence<MissingFile>) -> Diagnostics {
    var sink = DiagnosticSink()
    sink.add(files)
    var found = sink.diagnostics
    if sink.droppedCount > 0 {
      found.append(Diagnostic("\(sink.droppedCount) more are not shown", at: .unknown))
    }
    return found
  }
}

extension Diagnostic {
  /// The refusal of a path that leads out of the folder that holds all files.
  static func outside(_ subject: String, at origin: Origin) -> Diagnostic {
    let refusal = Confinement.refusal(EXDEV)
    return Diagnostic(
      "\(subject) \(refusal?.reason ?? "is out of reach")", at: origin, help: refusal?.help)
  }
}

extension DiagnosticSink {
  /// Reports files that no job writes.
  mutating func add(_ files: some Sequence<MissingFile>) {
    for file in files where !drops(at: file.origin) {
      add(file.diagnostic(suggesting: isSuggesting))
    }
  }
}

extension FilePath {
  /// The question whether `entry` of its folder is meant; of a name that looks the same, how it differs:
  /// Unicode has two forms of many letters, and file systems tell them apart (Unicode Standard Annex 15).
  func suggestion(of entry: String) -> String {
    let folder = removingLastComponent()
    guard let last = lastComponent?.string, last == entry,
      let (own, other) = zip(last, entry).first(where: { !$0.utf8.elementsEqual($1.utf8) })
    else { return "did you mean '\(folder.appending(entry))'?" }
    func codes(_ letter: Character) -> String {
      let codes = letter.unicodeScalars.map { "U+" + Self.digits(of: $0, count: 4) }
      return "\(codes.count == 1 ? "one character" : "\(codes.count) characters"), "
        + codes.joined(separator: " ")
    }
    let escaped = zip(last, entry).map { own, other in
      own.utf8.elementsEqual(other.utf8) ? "\(other)" : Self.escaped(other)
    }
    return "the name on the disk looks the same, and has '\(other)' as \(codes(other)), not as "
      + "\(codes(own)): rename it, or write \"\(folder.appending(escaped.joined()))\""
  }

  /// A letter in a quoted text of YAML, with its characters beyond ASCII as numbers (YAML 1.2.2, 5.7).
  private static func escaped(_ letter: Character) -> String {
    letter.unicodeScalars.map { scalar in
      if scalar.isASCII { return String(scalar) }
      return scalar.value > 0xFFFF
        ? "\\U" + digits(of: scalar, count: 8) : "\\u" + digits(of: scalar, count: 4)
    }.joined()
  }

  private static func digits(of scalar: Unicode.Scalar, count: Int) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

extension FileSystem {
  /// The name in the folder of `path` nearest to its last one, among those of some kinds.
  func nearestEntry(to path: FilePath, of kinds: Set<FileKind> = [.file, .folder]) -> String? {
    guard let last = path.lastComponent?.string else { return nil }
    let parent = path.removingLastComponent()
    let found = entries(of: parent.isEmpty ? "." : parent)?.prefix(10_000)
      .filter { kinds.contains($0.kind) }.map(\.name.string)
    let names = (found ?? []).sorted()
    return names.first { $0.lowercased() == last.lowercased() }
      ?? names.first { FilePath($0).extension != nil && FilePath($0).stem == last }
      ?? Spelling.nearest(to: last, among: names)
  }
}
