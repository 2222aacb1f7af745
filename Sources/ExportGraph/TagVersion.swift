import MPEGAudio
import MediaComposition

extension Sink {
  /// The version of the tag; nil for formats without ID3.
  package var id3Version: ID3Version? {
    guard format.kind.capabilities.hasID3 else { return nil }
    return output.id3 ?? ID3Version(forChapters: chapterShapes)
  }

  /// The version in words, if the job sets it, or its reader should be careful.
  var id3Text: String? {
    guard let version = id3Version else { return nil }
    let isRisky = chapterShapes.contains(where: \.isLostToFFmpeg)
    switch (version, output.id3) {
    case (.v23, nil): return "ID3v2.3: in 2.4 FFmpeg loses chapters with an image or a long text"
    case (.v24, .v24?) where isRisky:
      return "ID3v2.4, of which FFmpeg loses chapters with an image or a long text"
    case (_, nil): return nil
    case (_, _?): return "ID3v\(version)"
    }
  }

  private var chapterShapes: some Sequence<ID3Version.ChapterShape> {
    (output.chapters.inFile ? chapters : []).lazy.map {
      ID3Version.ChapterShape(title: $0.title, url: $0.url, hasImage: $0.image != nil)
    }
  }
}
