import Diagnosis
import ExportGraph
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import Transcripts

extension Sink {
  /// Whether its file gets a track of captions.
  var hasCaptions: Bool { output.transcript.inFile && !transcript.cues.isEmpty }

  /// What the output has beside its sound, and behind it the captions of its words, where it has a
  /// place for them.
  ///
  /// - Parameters:
  ///   - streams: Its picture and what goes with it.
  ///   - sampleRate: That of its sound.
  /// - Returns: nil where it has nothing.
  /// - Throws: Where memory is short.
  func captioned(
    _ streams: OpenedCompanions?, sampleRate: Int
  ) throws(LibAVError) -> OpenedCompanions? {
    guard hasCaptions else { return streams }
    let delay = Time(frames: streams?.streams?.delay ?? 0, rate: sampleRate)
    // libavformat compares the times of packets of all streams as numbers (`mov_write_packet`), so no
    // stream may have more ticks a second.
    let factor = max(1, (Int(streams?.streams?.mostTicks ?? 0) + sampleRate - 1) / sampleRate)
    let timescale = Int32(clamping: sampleRate * factor)
    let track = try CueTrack(
      language: transcript.language.flatMap(ID3Languages.code), timescale: timescale,
      captionSamples(from: delay, timescale: timescale, sampleRate: sampleRate))
    var captioned = streams ?? OpenedCompanions(streams: nil)
    captioned.streams = .captioned(CaptionedStreams(track, behind: streams?.streams))
    return captioned
  }

  /// Samples up to the end of the sound, which begins at a moment of the file's clock.
  private func captionSamples(
    from delay: Time, timescale: Int32, sampleRate: Int
  ) -> CueSamples {
    let length = Time(frames: Int64(frames.count), rate: sampleRate)
    return CueSamples(
      of: Self.cues(of: captions(until: length), from: delay), timescale: timescale,
      until: (length + delay).frames(atRate: Int(timescale)))
  }

  private func captions(until end: Time? = nil) -> [Transcript.Caption] {
    transcript.captions(lines: output.transcript.lines, until: end)
  }

  /// The words as a tag has them; nil where it has no place for them.
  var lyrics: ID3Tag.Lyrics? {
    guard output.transcript.lyrics, !transcript.cues.isEmpty else { return nil }
    return ID3Tag.Lyrics(
      lines: transcript.captions().map { caption in
        ID3Tag.Lyrics.Line(
          start: Time(value: caption.milliseconds.lowerBound, timescale: 1000), text: caption.text)
      }, language: transcript.language)
  }

  /// What captions do not hold, in words.
  var captionOmissions: [String] {
    guard hasCaptions else { return [] }
    let captions = captions()
    let most = Int(UInt16.max)
    let long = captions.count { $0.text.utf8.count > most }
    var omissions: [String] = []
    if long > 0 {
      omissions.append(
        long == 1
          ? "a caption has more than \(most) bytes: its end is left out"
          : "\(long) captions have more than \(most) bytes: their ends are left out")
    }
    let samples = CueSamples(of: Self.cues(of: captions), timescale: 1000)
    return omissions + samples.omissionTexts("caption", "captions")
  }

  /// Captions as cues, from a moment of the file's clock on.
  private static func cues(
    of captions: [Transcript.Caption], from delay: Time = .zero
  ) -> [Cue] {
    func time(_ milliseconds: Int64) -> Time { Time(value: milliseconds, timescale: 1000) + delay }
    return captions.compactMap { caption in
      TimedText.sample(caption.text).map { sample in
        Cue(
          start: time(caption.milliseconds.lowerBound), end: time(caption.milliseconds.upperBound),
          sample: sample)
      }
    }
  }
}
