internal import CFFmpeg

/// A chapter as libavformat has it.
package struct StoredChapter: Sendable {
  /// In ticks of `timeBase`.
  package let start: Int64
  package let timeBase: TimeBase
  package let title: String
}

extension Demuxer {
  /// The file's chapters. Of MP4 those of QuickTime's chapter track, if it has one: libavformat puts
  /// them over those of Nero's list (`avpriv_new_chapter`), of which the rest would stay.
  package var chapters: [StoredChapter] {
    let found = (0..<Int(context.pointee.nb_chapters)).compactMap { index -> StoredChapter? in
      guard let chapter = context.pointee.chapters[index]?.pointee else { return nil }
      let title = pairs(of: chapter.metadata).first { $0.key.lowercased() == "title" }?.value
      return StoredChapter(
        start: chapter.start, timeBase: TimeBase(chapter.time_base), title: title ?? "")
    }
    guard let track = chapterTracks.last else { return found }
    return found.prefix(track.frameCount.map { Int(clamping: $0) } ?? found.count)
      .filter { $0.timeBase == track.timeBase }
  }

  /// MP4's tracks of chapters, in their order: of several, the last one's are read
  /// (`mov_read_chapters`).
  package var chapterTracks: [Stream] {
    guard formatName.hasPrefix("mov,") else { return [] }
    return streams.filter {
      $0.parameters.codec_type == AVMEDIA_TYPE_DATA
        && $0.parameters.codec_id == AV_CODEC_ID_BIN_DATA
        && Self.textTags.contains($0.parameters.codec_tag)
        && ($0.frameCount ?? 0) > 0
    }
  }

  /// QuickTime's text and 3GPP's, `text` and `tx3g`: other data, such as a camera's, is no chapter.
  private static let textTags = [fourCC("text"), fourCC("tx3g")]

  private static func fourCC(_ name: StaticString) -> UInt32 {
    "\(name)".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
