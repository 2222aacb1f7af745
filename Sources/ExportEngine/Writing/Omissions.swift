import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import Tagging
import Transcripts

/// Content of a sink without a place in its format, which its writer leaves out or writes
/// elsewhere, in words.
package func omissions(of sink: Sink) -> [Warning] {
  let format = sink.capabilities
  var lost: [String] = []
  if format.heldTags != nil {
    let tags = sink.fields.map(\.key).filter { !format.holds($0) }
    if !tags.isEmpty { lost.append("the tags " + tags.joined(separator: ", ")) }
  }
  if !format.holdsCover, sink.metadata.cover != nil { lost.append("the cover") }
  // Chapters beside the file are not lost.
  let beside = sink.sidecars.filter(\.isOfChapters)
  if sink.output.chapters.inFile, !format.holdsChapters, !sink.chapters.isEmpty {
    lost.append("the chapters")
  } else if sink.output.chapters.inFile, beside.isEmpty, let parts = sink.lostChapterParts {
    lost.append("the chapters' \(parts)")
  }
  let places = sink.output.transcript
  let isWordless =
    places.inFile && !format.holdsCaptions || places.lyrics && !format.holdsLyrics
  if isWordless, !sink.transcript.cues.isEmpty { lost.append("the words") }
  var notices = sink.foldedTags.lost.map { $0.text(in: format.name) }
  notices += sink.dateOmissions
  notices += lost.map { "\(format.name) has no place for \($0): left out" }
  notices += sink.captionOmissions
  if sink.output.soundContainer(as: sink.format.kind) == .adts {
    notices.append(
      "\(format.name) has no place for the sound's ends: it begins with the encoder's delay, and ends with "
        + "a whole packet; write '.m4a' for exact ends")
  }
  if format.holdsCover, case .embedded(let cover)? = sink.metadata.cover,
    let obstacle = obstacle(to: cover, as: "the cover")
  {
    notices.append("\(obstacle): left out")
  }
  if format.holdsChapterImages, sink.output.chapters.inFile {
    let obstacles = sink.chapters.compactMap(\.imageObstacle)
    if let first = obstacles.first {
      let others = obstacles.count - 1
      let more = others == 0 ? "" : ", and so \(others == 1 ? "is one" : "are \(others)") more"
      notices.append("\(first): left out\(more)")
    }
  }
  if format.hasID3 {
    let misfits = ID3Tag.misfits(among: sink.id3Items)
    if let first = misfits.first {
      let names = misfits.quoted
      notices.append(
        misfits.count == 1
          ? "the tag \(names) has no valid form for ID3: '\(sink.metadata[first] ?? "")' "
            + "becomes a text of its own (TXXX), which few players show"
          : "the tags \(names) have no valid form for ID3: they become texts of their own "
            + "(TXXX), which few players show")
    }
  }
  for sidecar in beside where sink.chapters.contains(where: \.hasEmbeddedImage) {
    notices.append(
      "'\(sink.output.path.sidecar(sidecar))' names files, and has no place for images that lie in "
        + "media files: left out")
  }
  return notices.map { Warning($0, path: sink.output.path, origin: sink.output.origin) }
}

extension OutputCapabilities {
  /// The name of a tag in such an output. Only ID3 has lyrics in a language of their own
  /// (ID3v2.4 §4.8), which FFmpeg calls `lyrics-eng`; a kind that holds few tags holds them under
  /// the names of other programs, too: `tracknumber` as `track`. MP4 and MOV have Apple's names beside
  /// the tags' own (`MovieTags`).
  package func tagName(of key: String) -> String {
    guard !hasID3 else { return key }
    let name = key.lowercased()
    if name.hasPrefix("lyrics-") { return "lyrics" }
    if tagForm == .itemList {
      let own = TagNames.key(ofApple: key) ?? key
      return TagNames.row(of: own)?.key ?? own
    }
    guard let held = heldTags, !held.contains(name),
      let generic = TagNames.row(of: name)?.key, held.contains(generic)
    else { return key }
    return generic
  }

  /// Whether such an output has a place for a tag.
  package func holds(_ key: String) -> Bool {
    guard let held = heldTags else { return true }
    return held.contains(tagName(of: key).lowercased())
      || tagForm == .riff && TagNames.isInfo(key)
  }
}

extension Chapter {
  fileprivate var hasEmbeddedImage: Bool { if case .embedded? = image { true } else { false } }

  /// Why its image is left out, if it is a media file's and no output can hold it.
  fileprivate var imageObstacle: String? {
    guard case .embedded(let artwork)? = image else { return nil }
    return obstacle(to: artwork, as: "the image of '\(title)'")
  }
}

extension Sink {
  /// The sink without the sources' tags, cover and chapters.
  package func besides(_ sources: Set<Asset>) -> Sink { sorted(by: sources).own }

  /// The sink with only the sources' tags, cover and chapters.
  package func broughtAlong(by sources: Set<Asset>) -> Sink { sorted(by: sources).inherited }

  private func sorted(by sources: Set<Asset>) -> (own: Sink, inherited: Sink) {
    let tags = Set(sources.flatMap(\.metadata.items))
    var (own, inherited) = (self, self)
    if let cover = metadata.cover, sources.contains(where: { $0.metadata.cover == cover }) {
      own.metadata.cover = nil
    } else {
      inherited.metadata.cover = nil
    }
    for item in metadata.items {
      if tags.contains(item) || movedTags.contains(item.key) {
        own.metadata[item.key] = nil
      } else {
        inherited.metadata[item.key] = nil
      }
    }
    own.chapters.removeAll(where: \.isInherited)
    inherited.chapters.removeAll { !$0.isInherited }
    // Words are what the job asks for, wherever they come from.
    inherited.transcript = Transcript()
    return (own, inherited)
  }
}

extension Sink {
  /// A date that the header of Matroska does not hold, and no other part of it; MP4 and MOV have it as a tag
  /// as any other then.
  fileprivate var dateOmissions: [String] {
    guard capabilities.tagForm == .matroska, headerDate == nil,
      let date = metadata[HeaderDate.key]
    else { return [] }
    return [
      "the tag '\(HeaderDate.key)' is no date of 1970 to 2039, as 2024-05-06T07:08:09Z: '\(date)' "
        + "is left out"
    ]
  }

  /// The parts of its chapters that its file neither holds nor shows; nil: none.
  fileprivate var lostChapterParts: String? {
    let (held, showsImages) = (capabilities, picture?.encoding?.showsChapterImages == true)
    let parts = [
      !held.holdsChapterLinks && chapters.contains { $0.url != nil } ? "links" : nil,
      !held.holdsChapterImages && !showsImages && chapters.contains { $0.image != nil }
        ? "images" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " and ")
  }
}
