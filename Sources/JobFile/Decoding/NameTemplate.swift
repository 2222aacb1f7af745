import Diagnosis
import JobModel
import MPEGAudio
import MediaComposition
import SystemPackage
import YAML

/// A text such as `${artist} - ${title}`, by which tags are read from the name of a file.
struct NameTemplate {
  enum Piece {
    case literal(String)
    /// A tag, whose text is what stands here; `_` is none.
    case tag(Template.Reference)
  }

  /// The most tags: a name is compared in time that grows with their number.
  static let mostTags = 50

  let pieces: [Piece]
  /// As it was written.
  let source: String
  let origin: Origin

  /// The folders above the file that it describes, by its slashes.
  private var folderCount: Int {
    pieces.reduce(0) { count, piece in
      if case .literal(let text) = piece {
        count + text.unicodeScalars.count { $0 == "/" }
      } else {
        count
      }
    }
  }

  /// The end of a path that it describes: names of folders, and the file's without its extension;
  /// nil: the path has fewer folders.
  func subject(of path: FilePath) -> String? {
    let names = path.components.suffix(folderCount + 1)
    guard names.count == folderCount + 1, let last = names.last else { return nil }
    return (names.dropLast().map(\.string) + [last.stem]).joined(separator: "/")
  }

  /// The tags in `subject`, in the order of writing; nil: it is not of this form. A tag takes as little
  /// as the rest leaves it, and never a slash.
  ///
  /// - Complexity: O(tags · length of `subject` · length of a name)
  func tags(in subject: String) -> [(name: String, value: String)]? {
    var match = Match(text: Array(subject), pieces: pieces)
    return match.rest(at: 0, from: 0)?.reversed()
  }

  private struct Match {
    /// Where the piece of this number cannot begin.
    struct Failed: Hashable {
      var piece: Int
      var position: Int
    }

    let text: [Character]
    let pieces: [Piece]
    var failed: Set<Failed> = []

    init(text: [Character], pieces: [Piece]) { (self.text, self.pieces) = (text, pieces) }

    /// The tags of the pieces from `piece` on, the last one first.
    mutating func rest(at piece: Int, from start: Int) -> [(name: String, value: String)]? {
      guard piece < pieces.count else { return start == text.count ? [] : nil }
      let place = Failed(piece: piece, position: start)
      guard !failed.contains(place) else { return nil }
      switch pieces[piece] {
      case .literal(let literal):
        if text[start...].starts(with: literal) {
          if let found = rest(at: piece + 1, from: start + literal.count) { return found }
        }
      case .tag(let reference):
        var end = start
        while end < text.count, !text[end].unicodeScalars.contains("/") {
          end += 1
          guard let value = reference.value(writtenAs: String(text[start..<end])),
            let found = rest(at: piece + 1, from: end)
          else { continue }
          return reference.name == "_" ? found : found + [(reference.name, value)]
        }
      }
      failed.insert(place)
      return nil
    }
  }
}

extension Template.Reference {
  /// The value for which this variable would print `text`; without blanks around it. Nil: none.
  fileprivate func value(writtenAs text: String) -> String? {
    if let dayFormat { return dayFormat.day(in: text)?.text }
    guard width != nil else {
      let value = trimmed(text[...])
      return value.isEmpty ? nil : value
    }
    guard let number = Int(text), printed(String(number)) == text else { return nil }
    return String(number)
  }

  /// Whether it is plain where its text ends, whatever follows.
  fileprivate var isMeasured: Bool { width != nil || dayFormat != nil }
}

extension Decoder {
  /// The template of a `from` that names tags: of its variables some have no value here, and one of
  /// these is a tag's name. Variables that have a value are filled in. Nil for any other text; an empty
  /// one after a report.
  func nameTemplate(_ node: YAMLNode, _ scope: Scope) -> NameTemplate? {
    guard case .scalar(let scalar) = node.kind, let template = scalar.template,
      !scope.bindsUnknownNames
    else { return nil }
    let folder = node.folder ?? self.folder
    func isTag(_ reference: Template.Reference) -> Bool {
      guard reference.fallback == nil, !reference.name.contains(".") else { return false }
      do throws(RowsDiffer) {
        return try scope.value(of: reference.name, in: folder) == nil
      } catch {
        // Reported with the text.
        return false
      }
    }
    let tags = template.references.filter(isTag)
    guard tags.contains(where: { ID3Tag.tagNames.contains($0.name.lowercased()) }) else {
      return nil
    }
    hideForeignWords(of: template, at: node.origin, scope)
    var pieces: [NameTemplate.Piece] = []
    for piece in template.pieces {
      switch piece {
      case .literal(let text, _): pieces.append(.literal(text))
      case .variable(let reference) where isTag(reference): pieces.append(.tag(reference))
      case .variable(let reference):
        guard let text = literal(reference, of: scalar, node, scope, folder) else { return nil }
        pieces.append(.literal(text))
      }
    }
    let result = NameTemplate(pieces: pieces, source: scalar.text, origin: node.origin)
    for reference in tags where reference.name != "_" {
      warnOfTag(YAMLEntry(key: reference.name, keyOrigin: node.origin, value: node))
    }
    return refuses(result, tags) ? NameTemplate(pieces: [], source: "", origin: .unknown) : result
  }

  /// Reports what no name could be compared with.
  private func refuses(_ template: NameTemplate, _ tags: [Template.Reference]) -> Bool {
    var problem: (message: String, help: String)?
    if tags.count > NameTemplate.mostTags {
      problem = (
        "\(tags.count) tags in a name: at most \(NameTemplate.mostTags) are read", "name fewer"
      )
    }
    for (index, reference) in tags.enumerated() {
      if reference.name != "_", tags[..<index].contains(where: { $0.name == reference.name }) {
        problem = ("'\(reference.name)' twice in a name", "write '${_}' for a text that is no tag")
      }
      if let format = reference.dayFormat, !format.isReadable {
        problem = (
          "'\(reference.text)' does not say which day it is",
          "a day is read by its year, month and day, as '${\(reference.name):%Y%m%d}'"
        )
      }
    }
    for (piece, next) in zip(template.pieces, template.pieces.dropFirst()) {
      if case .tag(let tag) = piece, case .tag(let other) = next, !tag.isMeasured {
        problem = (
          "nothing between '\(tag.text)' and '\(other.text)' says where one ends",
          "write what stands between them in names, or '${\(tag.name):02}' for a number"
        )
      }
    }
    guard let problem else { return false }
    sink.error(problem.message, at: template.origin, help: problem.help)
    return true
  }

  /// Adds the tags of the name of a job's file that `metadata` does not have itself.
  func complete(_ metadata: inout Metadata, by template: NameTemplate, _ context: EnclosingJob) {
    guard !template.pieces.isEmpty,
      let location = context.scope.input?.kind.medium?.location ?? context.clip
    else {
      guard !template.pieces.isEmpty, context.isNoClip else { return }
      return sink.error(
        "'\(template.source)' has no file from whose name tags are read", at: template.origin,
        help: "write it in a job of one clip, or of 'for_each', or write the tags themselves")
    }
    let path: FilePath
    switch location {
    case .file(let file): path = file.normalized(in: files.currentDirectory)
    case .remote, .source: path = FilePath(location.lastName ?? "")
    }
    guard !InputBinding.isUnknown(path) else { return }
    guard let subject = template.subject(of: path), let tags = template.tags(in: subject) else {
      hideForeignWords(ofNameAt: template.origin, context.scope)
      let name = template.subject(of: path) ?? location.lastName ?? "\(location)"
      return sink.error(
        "'\(name)' is no name of the form '\(template.source)'", at: template.origin,
        help:
          "rename the file, leave it out of the job's files by '!', or write the tags themselves")
    }
    for (name, value) in tags where metadata.values(of: name).isEmpty {
      if let form = TagValueForm(of: name), form == .frames, !form.holds(value) {
        refuse(value, of: name, form, at: template.origin)
      }
      // Tags of parts are templates.
      let text = context.scope.part == .bound ? Template.literal(value) : value
      metadata.set([text], of: name)
    }
  }
}
