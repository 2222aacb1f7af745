import MediaComposition
import MediaTime
import Tagging

/// The block CUESHEET of a FLAC (RFC 9639, 8.7).
extension MarkSettler {
  private static let trackReason = "its tracks are not the source's"

  /// A FLAC whose source has a cue sheet has one, too: that of the source where no place of it moves, or
  /// one of its chapters. Other formats have its times as chapters.
  mutating func settleCueSheet() {
    guard let base, let old = base.marks?.cueSheet else { return }
    guard holdsCueSheet else { return loseCueSheet(old, Self.placeReason) }
    let starts = sink.chapters.map { UInt64(clamping: $0.start.frames(atRate: sampleRate)) }
    if keepsPlaces(of: base), starts == Self.starts(of: old) {
      sink.marks.cueSheet = old
      return
    }
    guard !starts.isEmpty, sink.output.chapters.inFile else {
      return loseCueSheet(old, Self.momentReason)
    }
    var sheet = CueSheetBlock()
    sheet.tracks = zip(starts, 1...UInt8.max).map { CueSheetBlock.Track(offset: $0, number: $1) }
    sheet.leadOut = UInt64(sink.frames.count)
    sink.marks.cueSheet = sheet
    loseParts(of: old, Self.trackReason)
  }

  /// Names a cue sheet of which the output has nothing but the times of its tracks, as chapters.
  mutating func loseCueSheet(_ sheet: CueSheetBlock, _ reason: String) {
    if holdsCueSheet { lose("CUESHEET", reason) } else { loseParts(of: sheet, reason) }
  }

  private mutating func loseParts(of sheet: CueSheetBlock, _ reason: String) {
    let parts = sheet.parts.joined(separator: ", ")
    if !parts.isEmpty { lose("parts of CUESHEET (\(parts))", reason) }
  }

  private var holdsCueSheet: Bool { sink.format.kind == .flac && sink.output.movie == nil }

  /// Whether each frame of a source is where it was, whatever its level.
  private func keepsPlaces(of asset: Asset) -> Bool {
    isIdentical
      || map.isWhole && map.opening?.asset.isSameSound(as: asset) == true
        && sampleRate == asset.sampleRate && Int64(sink.frames.count) == asset.frameCount
  }

  /// Where the sound of each track begins.
  private static func starts(of sheet: CueSheetBlock) -> [UInt64] {
    sheet.tracks.filter(\.isAudio).map { track in
      track.offset &+ (track.indices.first { $0.number == 1 }?.offset ?? 0)
    }
  }
}

extension CueSheetBlock {
  /// What it says beside the starts of its tracks.
  fileprivate var parts: [String] {
    let numbers = tracks.flatMap(\.indices).map(\.number)
    return [
      ("catalog", !catalog.isEmpty), ("ISRC", tracks.contains { !$0.isrc.isEmpty }),
      ("pregaps", numbers.contains(0)), ("further indices", numbers.contains { $0 > 1 }),
      ("data tracks", tracks.contains { !$0.isAudio }),
      ("pre-emphasis", tracks.contains(where: \.hasPreEmphasis)), ("CD flag", isCD),
    ].filter { $0.1 }.map { $0.0 }
  }
}
