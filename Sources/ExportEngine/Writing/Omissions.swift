import ExportGraph
import MediaComposition

/// What a sink's format has no place for and its writer therefore leaves out, in words: for the
/// plan.
package func omissions(of sink: Sink) -> [Warning] {
  let format = sink.output.format
  var lost: [String] = []
  if let held = format.heldTags {
    let tags = sink.metadata.items.map(\.key).filter { !held.contains($0.lowercased()) }
    if !tags.isEmpty { lost.append("the tags " + tags.joined(separator: ", ")) }
  }
  if case .wav = format {
    if sink.metadata.cover != nil { lost.append("the cover") }
    if !sink.chapters.isEmpty { lost.append("the chapters") }
  } else if case .mp3 = format {
    // ID3 holds a link and an image for each chapter.
  } else if sink.chapters.contains(where: { $0.url != nil || $0.image != nil }) {
    lost.append("the chapters' links and images")
  }
  return lost.map {
    Warning(
      "\(format.name) has no place for \($0): left out", path: sink.output.path,
      origin: sink.output.origin)
  }
}

extension Output.Format {
  fileprivate var name: String {
    switch self {
    case .mp3: "MP3"
    case .wav: "WAV"
    case .flac: "FLAC"
    case .m4a: "M4A"
    }
  }

  /// The tags that FFmpeg's muxer writes, in lower case; nil where it writes any.
  fileprivate var heldTags: Set<String>? {
    switch self {
    case .mp3, .flac: nil
    // `ff_riff_info_conv` in libavformat's riff.c, without `encoder`, which is not written.
    case .wav:
      [
        "artist", "comment", "copyright", "date", "genre", "language", "title", "album", "track",
        "encoded_by",
      ]
    // `mov_write_ilst_tag` in libavformat's movenc.c.
    case .m4a:
      [
        "title", "artist", "album", "album_artist", "composer", "date", "genre", "comment",
        "copyright", "track", "disc", "lyrics", "description", "synopsis", "show", "episode_id",
        "network", "keywords", "grouping", "media_type", "compilation", "season_number",
      ]
    }
  }
}
