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
    silences = sink.output.silences?.found ?? []
    sheet = Self.tracks(
      between: silences, frameCount: Int64(sink.frames.count), sampleRate: sampleRate)
  }

  /// A track for each part that sounds, with the silence before it as its pregap. A silence that no sound
  /// follows is a track of its own, if a 75th of a second begins in it. In 75ths of a second that lie within
  /// the silences, so that no sound is cut; a silence in which none begins is no pregap, and the track
  /// begins up to a 75th before its sound.
  ///
  /// - Parameters:
  ///   - silences: In order of time.
  ///   - frameCount: The output's length.
  ///   - sampleRate: At which the frames count.
  /// - Returns: In order of time.
  private static func tracks(
    between silences: [TimeRange], frameCount: Int64, sampleRate: Int
  ) -> [CueSheetText.Track] {
    let end = Time(frames: frameCount, rate: sampleRate)
    var tracks: [CueSheetText.Track] = []
    if let first = silences.first, first.start > .zero {
      tracks.append(.init(title: "", gap: nil, start: .zero))
    }
    func rounded(_ time: Time, _ rounding: RoundingMethod) -> Time {
      Time(value: time.frames(atRate: 75, rounding: rounding), timescale: 75)
    }
    for silence in silences {
      let start = rounded(silence.start, .towardPositiveInfinity)
      // The last silence has the exact end, which the output's frames may pass.
      let endFrame = silence.end.frames(atRate: sampleRate, rounding: .towardPositiveInfinity)
      if endFrame < frameCount {
        let sound = rounded(silence.end, .towardNegativeInfinity)
        tracks.append(.init(title: "", gap: start, start: sound))
      } else if tracks.isEmpty || start < end {
        tracks.append(.init(title: title, gap: nil, start: start))
      }
    }
    return tracks
  }

  /// Throws `mendJob` if there are more parts than a CUE sheet has tracks.
  func requireTracks() throws(Failure) {
    let most = CueSheetText.mostTracks
    guard sheet.count > most else { return }
    throw Failure(
      .mendJob,
      "a CUE sheet has \(most) tracks, and silences divide the output into \(sheet.count) tracks: list "
        + "longer silences, or write 'as: labels'",
      origin: sink.output.silences?.origin ?? .unknown)
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
