import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import YAML

/// Tags as `metadata` says them.
struct JobTags {
  var metadata = Metadata()
  var base: MetadataBase?
}

extension Decoder {
  /// Tags, a cover, and `from`. An empty text means that there is none.
  func metadata(_ node: YAMLNode, _ scope: Scope) -> JobTags {
    shared(node) {
      var tags = JobTags()
      // Files are the same for all parts.
      let fileScope = scope.with(part: scope.part == .none ? .none : .elsewhere)
      for entry in fields(of: node, as: .metadata)?.entries ?? [] {
        switch entry.key {
        case "cover":
          if entry.value.isEmptyText {
            tags.metadata.removesCover = true
          } else {
            tags.metadata.cover = cover(entry.value, fileScope).map { .file($0) }
          }
        case "from":
          tags.base = entry.value.isEmptyText ? .nothing : base(entry.value, fileScope)
        default:
          if let text = text(entry.value, scope) { tags.metadata[entry.key] = text.string }
        }
      }
      return tags
    }
  }

  private func cover(_ node: YAMLNode, _ scope: Scope) -> FilePath? {
    guard let path = path(node, scope) else { return nil }
    if path.value == self.path("none", in: node.folder ?? folder), kind(of: path.value) == nil {
      sink.error(
        "there is no file 'none'", at: path.origin, help: "write \"\" for no cover")
      return nil
    }
    checkFile(path.value, at: path.origin)
    return path.value
  }

  /// The source, or the file, whose tags are taken.
  private func base(_ node: YAMLNode, _ scope: Scope) -> MetadataBase? {
    guard let text = text(node, scope) else { return nil }
    if let source = sources[text.string] {
      guard case .clip(let reference)? = self.source(source, scope)?.content else { return nil }
      return .file(reference)
    }
    guard let path = path(node, scope) else { return nil }
    var suspicion: ClipText.MalformedRange?
    if ClipText(text.string, suspicion: &suspicion).range != nil, kind(of: path.value) == nil {
      sink.error(
        "tags are those of a whole file, not of a range", at: path.origin,
        help: "leave the range out")
      return nil
    }
    checkFile(path.value, at: path.origin, name: text.string, isMedium: true)
    return .file(MediaReference(path.value, origin: path.origin))
  }
}

extension YAMLNode {
  /// Whether it is a text of no characters, which only quotes can write.
  fileprivate var isEmptyText: Bool {
    if case .scalar(let scalar) = kind { scalar.text.isEmpty } else { false }
  }
}

// MARK: - Where chapters go

extension Decoder {
  /// The places that an output's `chapters` lists; the file itself where it lists none.
  func chapterPlaces(
    _ entry: YAMLEntry?, of format: JobOutput.Format, _ scope: Scope
  ) -> ChapterPlaces {
    guard let entry else { return .standard }
    let nodes: [YAMLNode] =
      if case .sequence(let nodes) = entry.value.kind { nodes } else { [entry.value] }
    var places = ChapterPlaces(inFile: false)
    var seen: Set<String> = []
    for node in nodes {
      guard let word = text(node, scope)?.string else { continue }
      guard seen.insert(word).inserted else {
        sink.error("'\(word)' twice", at: node.origin, help: "leave one of them out")
        continue
      }
      if let sidecar = ChapterPlaces.Sidecar(rawValue: word) {
        places.sidecars.append(sidecar)
      } else if word == "file" {
        places.inFile = true
      } else if word == "id3" {
        places.inFile = true
        requireID3(format, at: node.origin)
      } else {
        refusePlace(word, at: node.origin)
      }
    }
    return places
  }

  private func requireID3(_ format: JobOutput.Format, at origin: Origin) {
    switch format.kind {
    case .mp3?, .aiff?: break
    case let kind?:
      sink.error(
        "\(kind.capabilities.name) has no ID3 tag", at: origin,
        help: kind.capabilities.holdsChapters
          ? "write 'file' for chapters inside the file, as \(kind.capabilities.name) has them"
          : "write 'podlove' or 'podcasting2' for a file beside it")
    case nil:
      sink.error(
        "'id3' where the format is the clip's", at: origin,
        help: "write 'file' for chapters inside the file, as its format has them")
    }
  }

  private func refusePlace(_ word: String, at origin: Origin) {
    let words = ["file", "id3"] + ChapterPlaces.Sidecar.allCases.map(\.rawValue)
    let nearest = Spelling.nearest(to: word, among: words)
    sink.error(
      "'\(word)' is no place for chapters", at: origin,
      help: nearest.map { "did you mean '\($0)'?" }
        ?? "write 'file', 'id3', 'podlove' or 'podcasting2', or [] for none")
  }
}
