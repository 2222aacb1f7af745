import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import Threads
import Transcripts

/// The words in a media file, and what is to be said of them.
package struct EmbeddedTranscript: Sendable, Hashable, Codable {
  package var transcript: Transcript
  /// The number of their track among the file's streams.
  package var streamIndex: Int
  /// Which of several tracks they are; nil: of the only one.
  package var note: String?
}

extension MediaLibrary {
  /// Reads words elsewhere, as in another process. Called from any thread.
  package typealias ReadTranscript = @Sendable (Asset) throws(Failure) -> EmbeddedTranscript

  /// The words in an asset's file, in the time of its sound: its track of texts; of several the one in
  /// the language of the sound, else the one that players show. A file is read once, and not again where
  /// an earlier run has read it. Once `cancellation` is set, reading soon ends.
  ///
  /// - Throws: `mendInput` for a file without a track of texts, and as reading does; `tryAgain` after a
  ///   cancellation.
  /// - Complexity: O(size of the file), of an MP4 and of a file that is remembered O(cues)
  package func transcript(
    of asset: Asset, unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) -> EmbeddedTranscript {
    let key = TranscriptKey(asset)
    if let known = knownTranscripts.withLock({ $0[key] }) { return try known.get() }
    let result: Result<EmbeddedTranscript, Failure>
    do throws(Failure) {
      if let remembered = RememberedTranscript.recalled(of: asset, by: self) {
        result = .success(remembered)
      } else {
        let found = try readTranscript(of: asset, unless: cancellation)
        try CancellationFlag.requireWanted(at: asset.location)
        RememberedTranscript.keep(found, of: asset, by: self)
        result = .success(found)
      }
    } catch {
      result = .failure(error)
    }
    try CancellationFlag.requireWanted(at: asset.location)
    if case .failure(let failure) = result, failure.remedy == .tryAgain { throw failure }
    knownTranscripts.withLock { $0[key] = result }
    return try result.get()
  }

  private func readTranscript(
    of asset: Asset, unless cancellation: CancellationFlag
  ) throws(Failure) -> EmbeddedTranscript {
    if let transcriptReader { return try transcriptReader(asset) }
    watch?(asset.location)
    defer { watch?(nil) }
    let start = try facts(of: asset).start
    let demuxer = try openPictures(of: asset)
    let choice = try TextStreamChoice(in: demuxer, ofSound: asset.soundIndex, asset.location)
    var texts = EmbeddedTexts(choice.kind, from: start, lasting: asset.duration)
    try reading(asset.location) { () throws(LibAVError) in
      demuxer.select(stream: choice.stream.index)
      let base = choice.stream.timeBase
      while let packet = try demuxer.readWhatIsThere(unless: { cancellation.isCancelled }) {
        guard !cancellation.isCancelled else { throw LibAVError.cancelled }
        guard packet.streamIndex == choice.stream.index, !packet.isDiscarded,
          let tick = packet.timestamp
        else { continue }
        let duration = max(0, packet.duration)
        try texts.add(
          packet, from: base.time(of: tick),
          to: duration == 0 ? nil : base.time(of: tick &+ duration))
      }
    }
    var transcript = texts.transcript()
    transcript.language = choice.stream.language.flatMap(ID3Languages.tag)
    return EmbeddedTranscript(
      transcript: transcript, streamIndex: choice.stream.index, note: choice.note)
  }
}

/// A stream of a file as it is.
struct TranscriptKey: Hashable {
  private let location: MediaLocation
  private let streamIndex: Int
  private let identity: FileIdentity

  init(_ asset: Asset) {
    (location, streamIndex, identity) = (asset.location, asset.streamIndex, asset.identity)
  }
}

/// How a stream of texts has them.
enum TextStreamKind: Hashable {
  /// By FFmpeg's name of a codec that `PlainText` reads.
  case plain(String)
  /// WebVTT of Matroska, whose inner times are those of the file.
  case webVTT
  /// WebVTT of MP4 (`wvtt`; ISO/IEC 14496-30).
  case webVTTSamples

  /// nil for a stream that has no texts that are read.
  init?(_ stream: LibAV.Stream) {
    // libavformat does not know it, up to its version 59 at least.
    if stream.sampleEntry == "wvtt" {
      self = .webVTTSamples
      return
    }
    guard stream.mediaType == "subtitle" else { return nil }
    switch stream.codecName {
    case "mov_text", "subrip", "text", "ass", "ssa": self = .plain(stream.codecName)
    case "webvtt": self = .webVTT
    default: return nil
    }
  }
}

/// Which stream of texts is read.
private struct TextStreamChoice {
  let stream: LibAV.Stream
  let kind: TextStreamKind
  /// nil where there is no choice.
  var note: String?

  /// - Throws: `mendInput` where there is none.
  init(
    in demuxer: Demuxer, ofSound sound: Int?, _ location: MediaLocation
  ) throws(Failure) {
    let streams = demuxer.streams
    let texts = streams.compactMap { stream in TextStreamKind(stream).map { (stream, $0) } }
    let spoken = texts.filter { !$0.0.isBesideSpeech }
    let candidates = spoken.isEmpty ? texts : spoken
    func code(_ stream: LibAV.Stream) -> String? { stream.language.flatMap(ID3Languages.tag) }
    let language = streams.first { $0.index == sound }.flatMap(code)
    let ofSound = language.flatMap { language in candidates.first { code($0.0) == language } }
    let usual = candidates.first { $0.0.isDefault }
    guard let chosen = ofSound ?? usual ?? candidates.first else {
      throw Self.refusal(of: streams, location)
    }
    (stream, kind) = chosen
    guard texts.count > 1 else { return }
    let reason =
      ofSound != nil
      ? "in the language of its sound" : usual != nil ? "which players show" : "the first"
    let name = [stream.codecName, stream.language].compactMap(\.self).joined(separator: ", ")
    note =
      "has \(texts.count) tracks of texts: the words are those of stream \(stream.index) (\(name)), "
      + reason
  }

  private static let pictures: Set = ["hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle", "xsub"]

  private static func refusal(
    of streams: [LibAV.Stream], _ location: MediaLocation
  ) -> Failure {
    let remedy = "; name a file of the words, as 'transcript: talk.vtt'"
    let own = streams.filter { $0.mediaType == "subtitle" }.map(\.codecName)
    if let picture = own.first(where: pictures.contains) {
      return Failure(
        .mendInput, "has subtitles as pictures (\(picture)), in which no text is read" + remedy,
        location: location)
    }
    if let other = own.first {
      return Failure(
        .mendInput, "has subtitles in a form that is not read (\(other))" + remedy,
        location: location)
    }
    let kinds = streams.filter { !$0.isAttachedPicture }.map { "\($0.mediaType) (\($0.codecName))" }
    return Failure(
      .mendInput,
      "has no track of texts, only \(kinds.joined(separator: ", "))" + remedy, location: location)
  }
}

/// The texts of a stream as they are read.
private struct EmbeddedTexts {
  private let kind: TextStreamKind
  /// When the sound begins by the file's clock.
  private let start: Time
  /// How long it lasts.
  private let duration: Time
  private var cues: [Transcripts.Cue] = []
  private var joint = JointTexts()
  private var webVTT = WebVTTTrack()
  /// A packet without a duration, which is shown up to the next one.
  private var open: (packet: Packet, start: Time)?
  private var byteCount = 0

  init(_ kind: TextStreamKind, from start: Time, lasting duration: Time) {
    (self.kind, self.start, self.duration) = (kind, start, duration)
  }

  /// As many as files of words may have.
  private static let mostCues = 100_000
  private static let mostBytes = 1 << 26
  private static let remedy =
    "; write them into a file, and name that, as with 'ffmpeg -i IN -map 0:s:0 OUT.vtt'"

  /// Adds a packet that is shown from a moment of the file's clock to another one; nil: to the next one.
  mutating func add(_ packet: Packet, from start: Time, to end: Time?) throws(LibAVError) {
    byteCount += packet.size
    guard byteCount <= Self.mostBytes else {
      throw LibAVError.refusedPicture("has more than 64 MB of texts" + Self.remedy)
    }
    close(at: start)
    if let end { put(packet, from: start, to: end) } else { open = (packet, start) }
    guard cues.count + joint.count + webVTT.count <= Self.mostCues else {
      throw LibAVError.refusedPicture("has more than \(Self.mostCues) texts" + Self.remedy)
    }
  }

  private mutating func close(at end: Time) {
    guard let (packet, start) = open else { return }
    open = nil
    put(packet, from: start, to: max(start, end))
  }

  private mutating func put(_ packet: Packet, from start: Time, to end: Time) {
    // What is shown before the sound begins is heard by nobody.
    let (from, to) = (max(.zero, start - self.start), end - self.start)
    guard from < to else { return }
    let range = TimeRange(start: from, end: to)
    switch kind {
    case .plain(let codec):
      let text = PlainText(packet.bytes, codec: codec)
      let lines = text.text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
      guard !lines.isEmpty else { return }
      if codec == "mov_text" {
        joint.add(lines.map(String.init), in: range)
      } else {
        cues.append(
          Transcripts.Cue(lines.joined(separator: "\n"), in: range, speaker: text.speaker))
      }
    case .webVTT:
      var sample = WebVTTSample(
        payload: packet.bytes, settings: packet.textSettings, identifier: packet.textIdentifier)
      sample.clock = .file(soundStart: self.start)
      webVTT.add(sample, in: range)
    case .webVTTSamples:
      for sample in WebVTTSample.all(in: packet.bytes) { webVTT.add(sample, in: range) }
    }
  }

  /// All of them.
  mutating func transcript() -> Transcript {
    close(at: start + duration)
    return Transcript(cues + joint.cues + webVTT.cues)
  }
}
