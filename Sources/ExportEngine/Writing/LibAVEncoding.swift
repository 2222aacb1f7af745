import Diagnosis
import LibAV
import MediaComposition
import Tagging
import Threads

/// Writes through one of FFmpeg's encoders: PCM, AMR, IMA4, and what grows.
final class LibAVEncoding: GrowingEncoding {
  private let file: OutputFile
  private let encoder: Encoder
  private let writer: any PacketWriter
  private var recipe: LibAVRecipe
  private var dithering: Dithering
  /// The marks of a WAV that grows.
  private var marks: [CuePoints.Cue] = []
  /// The end of the bytes that `settle` has made part of the file, and how many of a WAV's are sound.
  private var settled: (size: Int64, sound: Int64) = (0, 0)
  /// Frames that are still to be left out at the beginning, since a headerless file and one of AMR cannot
  /// say that their sound comes late; as many silent ones follow at the end.
  private var late = 0
  /// Frames by which the sound of packets comes late.
  private let delay: Int
  /// Of AMR, the packets that are written.
  private var packetCount: Int64 = 0
  private(set) var settledFrames: Int64 = 0
  /// Where the last packet ends, in frames of the sound.
  private var encodedEnd: Int64 = 0
  /// Frames that `settle` adds at least, since each fragment and each page has a head.
  private let leastSettled: Int64

  /// AMR's encoder looks 5 ms ahead (3GPP TS 26.090, 4.4): libavcodec declares 50 frames, and the sound
  /// is 40 late.
  private static let amrDelay = 40

  init(_ file: OutputFile, _ recipe: LibAVRecipe, growing isGrowing: Bool = false) throws {
    (self.file, self.recipe, dithering) = (file, recipe, Dithering(recipe))
    let encoder = try recipe.openEncoder()
    self.encoder = encoder
    switch recipe.wrapping {
    case .chunks(let layout): writer = try ChunkFileWriter(file, layout)
    case .muxer(.m4a) where isGrowing:
      writer = try FragmentedMovie(file, try recipe.movie(of: encoder))
    case .muxer: writer = try self.recipe.openMuxer(of: file, for: .encoder(encoder))
    }
    leastSettled = recipe.hasHeads ? Int64(recipe.sampleRate / 2) : 0
    delay = recipe.container == .amr ? Self.amrDelay : encoder.delay
    if recipe.isPlainStream { late = delay }
  }

  /// Makes a file that can be played at each moment: PCM in WAV, FLAC, AAC and ALAC in fragments of M4A,
  /// Vorbis and Opus in pages of Ogg.
  static func growing(_ file: OutputFile, _ recipe: LibAVRecipe) throws -> LibAVEncoding {
    let encoding = try LibAVEncoding(file, recipe, growing: true)
    try encoding.settle()
    return encoding
  }

  private var chunks: ChunkFileWriter? { writer as? ChunkFileWriter }

  func settle() throws {
    // Neither PCM nor FLAC holds back an encoded frame.
    let end = encoder.delay == 0 ? encoder.submittedCount : encodedEnd
    guard settled.size == 0 || end - settledFrames >= leastSettled else { return }
    try writer.flush()
    settled = (file.size, chunks?.soundSize ?? 0)
    settledFrames = max(0, end)
  }

  func mark(_ frame: Int64, _ label: String) {
    guard chunks != nil, let frame = UInt32(exactly: frame) else { return }
    marks.append(CuePoints.Cue(id: UInt32(marks.count + 1), frame: frame, label: label))
  }

  func encode(_ block: AudioBuffer) throws {
    var done = min(late, block.frameCount)
    late -= done
    while done < block.frameCount {
      // Dither is that of the timeline, so that the parts of a sound are slices of the whole.
      let frame = recipe.firstFrame + encoder.frameCount
      let count = min(
        encoder.room, block.frameCount - done, dithering.begin(at: encoder.frameCount))
      try encoder.fill(count, with: block.planes, from: done, frame: frame, dithering.quantizer)
      if dithering.isCopied { encoder.keepNegativeZeros(count, of: block.planes, from: done) }
      done += count
      guard encoder.room == 0 else { continue }
      try encoder.submit()
      try mux()
    }
  }

  private func encodeSilence(_ count: Int) throws {
    var rest = count
    while rest > 0 {
      let part = min(rest, encoder.room)
      try encoder.fillSilence(part)
      rest -= part
      guard encoder.room == 0 else { continue }
      try encoder.submit()
      try mux()
    }
  }

  private func mux() throws {
    while let packet = try encoder.next() {
      if recipe.container == .amr {
        // FFmpeg makes one more where the last one has just room for the delay.
        let end = encoder.frameCount + Int64(delay - late)
        guard packetCount * Int64(encoder.frameLength) < end else { continue }
        packetCount += 1
      }
      if let start = packet.timestamp {
        // FFmpeg makes the last block of IMA4 whole, and CAF says how much of it is sound.
        if recipe.container == .codedCAF {
          packet.retime(to: start, lasting: min(packet.duration, encoder.frameCount - start))
        }
        encodedEnd = start + packet.duration
      }
      // The writer gives it the times of its container.
      try writer.write(packet)
    }
  }

  func finish() throws -> [CopiedPart]? {
    // AMR's encoder itself adds what it is late by.
    if recipe.container == .raw { try encodeSilence(delay - late) }
    try encoder.finish()
    try mux()
    if !marks.isEmpty { chunks?.trailing = CuePoints(marks).chunks }
    try writer.finish()
    try recipe.complete(file)
    if settled.size > 0 {
      settled = (file.size, chunks?.soundSize ?? 0)
      settledFrames = encoder.submittedCount
    }
    return recipe.copied
  }

  func cancel() {
    guard settled.size > 0 else { return }
    // A file that stays keeps its whole frames.
    if let chunks { chunks.cut(toSound: settled.sound) } else { file.cut(to: settled.size) }
  }
}

/// How FFmpeg encodes and wraps an output.
struct LibAVRecipe {
  /// What holds the packets.
  enum Wrapping {
    /// A container that libavformat writes.
    case muxer(Muxer.Container)
    /// A WAV, or an AIFF with another one's chunks, which avjob writes.
    case chunks(any ChunkFile)
  }

  var wrapping: Wrapping
  var codec: Encoder.Codec
  /// The settings of libfdk-aac, where that encodes it and not FFmpeg.
  var fdk: FDKAACSettings?
  var sampleRate: Int
  var channelMask: UInt64
  /// How many channels there are where none has a position, and the mask is 0.
  var unplacedCount = 0
  /// Channels of the sound.
  var channelCount: Int { channelMask == 0 ? unplacedCount : channelMask.nonzeroBitCount }
  var isDithered: Bool
  /// Parts of an output that copies its sources' samples.
  var copied: [CopiedPart]?
  /// The timeline's first frame.
  var firstFrame: Int64
  var metadata: [(key: String, value: String)]
  var chapters: [Muxer.Chapter]
  var picture: Picture?
  /// The ID3 tag among the chunks, or nothing.
  var tag: [UInt8] = []
  /// Chunks to append to the muxer's bytes: of AIFF and CAF.
  var chunks: [WaveFile.Chunk] = []
  /// Blocks of a FLAC's metadata behind its first one, with their heads.
  var blocks: [UInt8] = []
  /// Tags that are put into the file when it is complete.
  var laterTags = WrittenTags.none

  /// The container that libavformat writes; nil of what avjob writes.
  var container: Muxer.Container? {
    if case .muxer(let container) = wrapping { container } else { nil }
  }

  /// An encoder; `isContinuing` as of `Encoder.open`.
  func openEncoder(continuing isContinuing: Bool = false) throws(LibAVError) -> Encoder {
    try Encoder.open(
      codec, sampleRate: sampleRate, channelMask: channelMask, unplacedCount: unplacedCount,
      continuing: isContinuing)
  }

  /// Writes the header for packets of `source`, and lets go of the picture, which may be large.
  /// `companions` stand beside the sound.
  mutating func openMuxer(
    of file: OutputFile, for source: Muxer.Source, beside companions: Companions? = nil
  ) throws(LibAVError) -> Muxer {
    defer { picture = nil }
    guard let container else { preconditionFailure("it is not written by libavformat") }
    let output: any ByteOutput =
      blocks.isEmpty ? file : FLACBlockInserter(file, blocks)
    return try Muxer.open(
      container, to: output, for: source, metadata: metadata, chapters: chapters, picture: picture,
      companions: companions)
  }

  /// Whether its container says nothing but the packets, one behind the other in time.
  var isPlainStream: Bool { container == .raw || container == .amr }

  /// Whether its container has a head for some packets each.
  var hasHeads: Bool {
    switch container {
    case .m4a, .ogg: true
    default: false
    }
  }

  /// The movie of a file that grows, for packets of `encoder`.
  func movie(of encoder: Encoder) throws(Failure) -> SoundMovie {
    let movieCodec: SoundMovie.Codec
    switch codec {
    case .aac(let bitRate, _):
      movieCodec = .aac(configuration: encoder.configuration, bitRate: bitRate)
    case .alac(let bitDepth):
      movieCodec = .alac(cookie: encoder.configuration, bitDepth: bitDepth)
    case .flac, .vorbis, .opus, .amr, .ima4, .pcm, .muLaw, .aLaw, .g722, .gsm:
      throw Failure(.reportBug, "M4A has AAC and ALAC alone")
    }
    return SoundMovie(
      movieCodec, sampleRate: sampleRate, channelCount: channelCount,
      frameLength: encoder.frameLength, delay: encoder.delay)
  }

  /// Completes a file whose muxer has finished.
  func complete(
    _ file: OutputFile, unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) {
    try file.put(laterTags)
    try file.append(chunks, to: container)
    if container == .mp4 || container == .mov {
      try file.moveIndexToFront(unless: cancellation)
    }
  }
}
