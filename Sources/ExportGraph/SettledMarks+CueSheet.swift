import MediaComposition
import MediaTime
import Tagging

/// The block CUESHEET of a FLAC (RFC 9639, 8.7).
extension MarkSettler {
  /// A FLAC whose source has a cue sheet has one, too: that of the source, or one of its chapters. Other
  /// formats have its times as chapters.
  mutating func settleCueSheet() {
    guard let old = base?.marks?.cueSheet, sink.format.kind == .flac, sink.output.movie == nil
    else { return }
    let starts = sink.chapters.map { UInt64(clamping: $0.start.frames(atRate: sampleRate)) }
    if isIdentical, starts == Self.starts(of: old) {
      sink.marks.cueSheet = old
      return
    }
    guard !starts.isEmpty, sink.output.chapters.inFile else {
      return lose("CUESHEET", Self.momentReason)
    }
    var sheet = CueSheetBlock()
    sheet.tracks = zip(starts, 1...UInt8.max).map { CueSheetBlock.Track(offset: $0, number: $1) }
    sheet.leadOut = UInt64(sink.frames.count)
    sink.marks.cueSheet = sheet
    if !old.catalog.isEmpty || old.tracks.contains(where: { !$0.isrc.isEmpty }) {
      lose("numbers in CUESHEET (catalog, ISRC)", Graph.sampleReason)
    }
  }

  /// Where the sound of each track begins.
  private static func starts(of sheet: CueSheetBlock) -> [UInt64] {
    sheet.tracks.filter(\.isAudio).map { track in
      track.offset &+ (track.indices.first { $0.number == 1 }?.offset ?? 0)
    }
  }
}
