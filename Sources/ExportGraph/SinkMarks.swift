import Diagnosis
import MediaComposition
import Tagging

/// What an output's file holds of marks, in frames of the output, as far as its format has a place for
/// it.
package struct SinkMarks: Sendable, Hashable {
  /// `bext`, without a row of history for this output, and without loudness: see `broadcast(by:_:)`.
  package var broadcast: BroadcastExtension?
  /// What was done to the sound, for the row of coding history; nil: nothing, and the history stays.
  package var step: String?
  /// Whether the loudness of the written file goes into `broadcast`.
  package var measuresLoudness = false
  /// `cart`.
  package var cart: CartChunk?
  /// `iXML`.
  package var iXML: IXML?
  /// In order of time. The output's chapters are among them, where they go into its file.
  package var cues: [MediaMarks.Cue] = []
  /// `smpl`, with its loops.
  package var sampler: SamplerChunk?
  /// What the markers at the ends of loops are called in AIFF, and loops in CAF.
  package var loopMarkers: [MediaMarks.LoopMarkers] = []
  /// `inst`.
  package var instrument: InstrumentChunk?
  /// The block CUESHEET of a FLAC.
  package var cueSheet: CueSheetBlock?
  /// The chunks of the source of which each sample, and nothing else, is in the output; nil: none. They
  /// are kept byte for byte, but for those with a value above: where it equals the source's the chunk
  /// stays, where it differs it is written anew, and where it is nil the chunk goes.
  package var identical: KeptChunks?

  /// Chunks of a file.
  package struct KeptChunks: Sendable, Hashable, Encodable {
    /// The file, whose `marks` have the chunks in its order.
    package var source: Asset
    /// The names of those that go: a list, since sets have no order to be encoded in.
    package var omitted: [String] = []
  }

  package init() {}
}

extension SinkMarks: Encodable {
  private enum CodingKeys: String, CodingKey {
    case marks, step, measuresLoudness, identical
  }

  /// Writes the values as a source's are written.
  package func encode(to encoder: any Encoder) throws {
    var values = MediaMarks()
    (values.broadcast, values.cart, values.iXML) = (broadcast, cart, iXML)
    (values.cues, values.sampler, values.instrument) = (cues, sampler, instrument)
    (values.cueSheet, values.loopMarkers) = (cueSheet, loopMarkers)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(values, forKey: .marks)
    try container.encodeIfPresent(step, forKey: .step)
    try container.encode(measuresLoudness, forKey: .measuresLoudness)
    try container.encodeIfPresent(identical, forKey: .identical)
  }
}

extension Sink {
  /// The `bext` of its file.
  ///
  /// - Parameters:
  ///   - writer: Who writes the file, as `avjob 0.1.0`, for the row of coding history.
  ///   - loudness: Of the written file, where `marks.measuresLoudness` asks for it.
  /// - Returns: nil where it has none.
  package func broadcast(
    by writer: String, _ loudness: BroadcastExtension.Loudness? = nil
  ) -> BroadcastExtension? {
    guard var broadcast = marks.broadcast else { return nil }
    if let step = marks.step {
      let row = CodingHistory.Row(
        algorithm: "PCM", sampleRate: output.sampleRate,
        wordLength: format.integerDepth ?? 32,
        mode: output.channelLayout.flatMap(\.codingMode),
        text: step.isEmpty ? writer : "\(writer);\(step)")
      broadcast.codingHistory = CodingHistory.adding(row, to: broadcast.codingHistory)
    }
    if let loudness {
      broadcast.loudness = loudness
      broadcast.version = 2
    }
    return broadcast
  }
}

extension ChannelLayout {
  /// Its name in coding history (EBU R 98); nil where there is none.
  var codingMode: String? {
    switch count {
    case 1: "mono"
    case 2: "stereo"
    default: nil
    }
  }
}
