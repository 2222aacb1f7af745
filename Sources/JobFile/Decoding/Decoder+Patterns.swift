import Diagnosis
import Files
import SystemPackage
import YAML

// MARK: - Patterns of files

extension Decoder {
  /// The files of `pattern` below `folder`, in natural order; a pattern without files is
  /// refused, but for a loop that may have none.
  func matches(
    _ pattern: String, at origin: Origin, in folder: FilePath, isLoop: Bool = false
  ) -> [FilePattern.Match] {
    func name(_ folder: FilePath) -> String {
      folder.isEmpty ? "the job file's folder" : "'\(folder)'"
    }
    guard !pattern.endsWithScalars("/") || !FilePattern.isPattern(pattern) else {
      sink.error(
        "'\(pattern)' ends in '/', as a pattern of folders, and files are meant", at: origin,
        help: "write '\(pattern)*' for the files in them")
      return []
    }
    do throws(FilePattern.Failure) {
      let found = try FilePattern(withHome(pattern)).matches(in: files, base: folder)
      noteClasses(pattern, at: origin, found)
      return found
    } catch {
      switch error {
      case .noFolder(let missing):
        refuseFolder(missing, in: folder, at: origin)
      case .outside(let folder): sink.add(.outside("'\(folder)'", at: origin))
      case .noMatch where isLoop && allowsNoFiles && FilePattern.isPattern(pattern):
        foundNoFiles = true
        sink.add(Diagnostic(.note, "no file matches '\(pattern)' yet", at: origin))
      case .noMatch(let searched):
        refuseMatchless(pattern, in: searched, of: folder, at: origin, name(searched))
      case .tooManyAlternatives:
        sink.error(
          "more than \(FilePattern.alternativeLimit) alternatives in braces", at: origin,
          help: "write several patterns in a list")
      case .tooManyFolders:
        sink.error(
          "'\(pattern)' leads through more than \(FilePattern.folderLimit) folders behind links",
          at: origin, help: "name folders in place of '*', or remove the links")
      }
      return []
    }
  }

  /// Reports a path without wildcards as a path, and a pattern with its folder's files.
  private func refuseMatchless(
    _ pattern: String, in searched: FilePath, of folder: FilePath, at origin: Origin, _ name: String
  ) {
    let path = FilePath(pattern)
    guard FilePattern.isPattern(pattern) else {
      let whole = self.path(pattern, in: folder)
      guard kind(of: whole) != .folder else {
        return sink.error(
          "'\(pattern)' is a folder", at: origin, help: "write '\(path)/*' for its files")
      }
      if kind(of: whole) == .file, pattern.endsWithScalars("/") {
        return sink.error(
          "'\(pattern)' ends in '/', as the path of a folder", at: origin,
          help: "write '\(path)' for the file")
      }
      return sink.add([
        MissingFile(
          path: whole, origin: origin, isThere: kind(of: whole),
          isNamed: map.showsWords(at: origin), name: pattern, help: nil, isMedium: true,
          files: files)
      ])
    }
    let base = searched.isAbsolute ? searched : folder.pushing(searched)
    let found =
      files.entries(of: base.isEmpty ? "." : base)?.prefix(10_000)
      .filter { $0.kind == .file && !$0.name.beginsWithDot } ?? []
    let endings = Set(found.compactMap { FilePath($0.name.string).extension }).sorted()
    let classes = FilePattern.Classes(of: pattern)
    var help =
      classes.meaning ?? "'*' stands for any characters of a name, '**' for any folders"
    if let meant = bracketHelp(classes, in: folder) {
      help = meant
    } else if FilePattern.isPattern(path.removingLastComponent().string) {
      // The files are looked for in other folders.
    } else if found.isEmpty {
      help = "there are no files in it"
    } else if let wanted = path.extension, !FilePattern.isPattern(wanted), !endings.isEmpty,
      !endings.contains(wanted)
    {
      let shown = endings.prefix(5).map { "'.\($0)'" }.joined(separator: ", ")
      help = "the files in it end in \(shown)\(endings.count > 5 ? " …" : "")"
    }
    sink.error("no file in \(name) matches '\(pattern)'", at: origin, help: help)
  }

  /// What to write for a name with brackets, where the pattern with the brackets themselves matches
  /// files.
  private func bracketHelp(_ classes: FilePattern.Classes, in folder: FilePath) -> String? {
    guard let meaning = classes.meaning,
      let meant = try? FilePattern(withHome(classes.literal)),
      (try? meant.matches(in: files, base: folder)) != nil
    else { return nil }
    return "\(meaning): write '\(classes.literal)'"
  }

  /// Notes a pattern that may be meant as the name of one file: nothing but a class is a wildcard in
  /// it.
  private func noteClasses(
    _ pattern: String, at origin: Origin, _ found: [FilePattern.Match]
  ) {
    let classes = FilePattern.Classes(of: pattern)
    guard let meaning = classes.meaning, !classes.hasOthers, !classes.isEvident,
      let match = found.first
    else { return }
    sink.add(
      Diagnostic(
        .note, "'\(pattern)' is a pattern, and finds '\(match.path.lastComponent?.string ?? "")'",
        at: origin,
        help: "\(meaning); a file of that name is '\(classes.literal)'"))
  }

  /// Reports a folder that is missing, or the first one above it that is.
  private func refuseFolder(_ written: FilePath, in folder: FilePath, at origin: Origin) {
    func place(_ path: FilePath) -> FilePath { path.isAbsolute ? path : folder.pushing(path) }
    var missing = written
    while kind(of: place(missing.removingLastComponent())) == nil, missing.components.count > 1,
      !missing.removingLastComponent().isEmpty
    {
      missing = missing.removingLastComponent()
    }
    let nearest =
      sink.isSuggesting ? files.nearestEntry(to: place(missing), of: [.folder]) : nil
    var help = nearest.map { [missing.suggestion(of: $0)] } ?? []
    if !missing.isAbsolute, nearest != missing.lastComponent?.string {
      let rule = MissingFile.rule
      help.append(
        nearest == nil && place(missing) != missing && files.kind(of: missing) == .folder
          ? "it is where avjob was called: \(rule)"
          : help.isEmpty ? rule : rule.prefix(1).uppercased() + rule.dropFirst())
    }
    sink.error(
      "there is no folder '\(missing)'", at: origin,
      help: help.isEmpty ? nil : help.joined(separator: " "))
  }

  /// `~/` written out.
  private func withHome(_ pattern: String) -> String {
    guard pattern.startsWithScalars("~/"), let home = files.homeDirectory else { return pattern }
    return FilePattern.escaped(home.string) + pattern.dropFirst(1)
  }
}

// MARK: - Exclusions

/// The patterns of a list that exclude files of the others: `!in/draft*`.
struct Exclusions {
  fileprivate var patterns: [(pattern: FilePattern, base: FilePath)] = []
  fileprivate let currentDirectory: FilePath

  /// Whether `path`, as a pattern found it, or a folder above it is excluded, in whichever of their
  /// spellings both are written.
  func cover(_ path: FilePath) -> Bool {
    patterns.contains { $0.pattern.covers(path, base: $0.base, in: currentDirectory) }
  }
}

extension Decoder {
  /// Splits a list into inclusions and exclusions.
  func exclusions(among nodes: [YAMLNode], _ scope: Scope) -> ([YAMLNode], Exclusions) {
    var exclusions = Exclusions(currentDirectory: files.currentDirectory)
    guard nodes.contains(where: \.isExclusion) else { return (nodes, exclusions) }
    let (excluding, others) = nodes.reduce(into: ([YAMLNode](), [YAMLNode]())) { parts, node in
      if node.isExclusion { parts.0.append(node) } else { parts.1.append(node) }
    }
    for node in excluding {
      guard let text = text(node, scope) else { continue }
      guard !others.isEmpty else {
        sink.error(
          "'\(text.string)' leaves files out, and the list has none", at: node.origin,
          help: "write the files first, as [\"in/*.wav\", \"\(text.string)\"]")
        continue
      }
      let count = text.string.unicodeScalars.count
      do throws(FilePattern.Failure) {
        exclusions.patterns.append(
          (try FilePattern(withHome(text.pattern(1..<count))), text.folder))
      } catch {
        sink.error(
          "more than \(FilePattern.alternativeLimit) alternatives in braces", at: node.origin,
          help: "write several patterns in a list")
      }
    }
    return (others, exclusions)
  }
}

extension YAMLNode {
  /// Whether it is a text like `!in/draft*`.
  var isExclusion: Bool {
    if case .scalar(let scalar) = kind {
      scalar.text.utf8.first == UInt8(ascii: "!")
    } else {
      false
    }
  }
}
