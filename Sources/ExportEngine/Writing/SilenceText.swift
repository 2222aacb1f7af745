import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Transcripts

/// The silences of an output as text files beside it.
struct SilenceText {
  private let silences: [TimeRange]
  private let sheet: [CueSheetText.Track]
  private let sink: Sink

  /// The title of a silence in a list.
  private static let title = "silence"

  /// - Parameters:
  ///   - sink: The output, with the silences that were found.
  ///   - sampleRate: Of its sound.
  init(of sink: Sink, sampleRate: Int) {
    self.sink = sink
    let end = Time(frames: Int64(sink.frames.count), rate: sampleRate)
    silences = sink.output.silences?.found ?? []
    sheet = Self.tracks(between: silences, end: end)
  }

  /// A track for each part that sounds, with the silence before it as its pregap. A silence that no sound
  /// follows is a track of its own. In 75ths of a second that lie within the silences, so that no sound is
  /// cut.
  private static func tracks(between silences: [TimeRange], end: Time) -> [CueSheetText.Track] {
    var tracks: [CueSheetText.Track] = []
    if let first = silences.first, first.start > .zero {
      tracks.append(.init(title: "", gap: nil, start: .zero))
    }
    func rounded(_ time: Time, _ rounding: RoundingMethod) -> Time {
      Time(value: time.frames(atRate: 75, rounding: rounding), timescale: 75)
    }
    for silence in silences {
      let start = rounded(silence.start, .towardPositiveInfinity)
      tracks.append(
        silence.end < end
          ? .init(title: "", gap: start, start: rounded(silence.end, .towardNegativeInfinity))
          : .init(title: title, gap: nil, start: start))
    }
    return tracks
  }

  /// Throws `mendJob` if there are more parts than a CUE sheet has tracks.
  func requireTracks() throws(Failure) {
    let most = CueSheetText.mostTracks
    guard sheet.count > most else { return }
    throw Failure(
      .mendJob,
      "a CUE sheet has \(most) tracks, and silences divide this into \(sheet.count): list longer "
        + "silences, or write 'as: labels'", origin: sink.output.silences?.origin ?? .unknown)
  }

  /// The bytes of a list, which depend on the silences, those of a CUE sheet also on the output's name and
  /// tags.
  ///
  /// - Throws: As `requireTracks`, for a CUE sheet.
  func bytes(as format: SilencePlaces.Sidecar) throws(Failure) -> [UInt8] {
    switch format {
    case .labels:
      return silences.flatMap { AudacityLabel(from: $0.start, to: $0.end, Self.title).line.utf8 }
    case .cue:
      try requireTracks()
      return Array(CueSheetText(sheet, of: sink.output.path, sink.metadata).text.utf8)
    }
  }
}
