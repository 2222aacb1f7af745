import Diagnosis
import LibAV
import MediaComposition
import Threads

/// Writes through one of FFmpeg's encoders: PCM, and FLAC that grows.
final class LibAVEncoding: GrowingEncoding {
  private let file: OutputFile
  private let encoder: Encoder
  private let muxer: Muxer
  private var recipe: LibAVRecipe
  private var dithering: Dithering
  /// For a WAV that grows: keeps its sizes valid.
  private var sizes: WAVSizes?
  /// The marks of a WAV that grows, by their frames.
  private var marks: [WAVSizes.Mark] = []
  /// The end of the bytes that `settle` has made part of the file.
  private var settled: Int64 = 0
  /// Frames that are still to be left out at the beginning, since a headerless file cannot say that its
  /// sound comes late; as many silent ones follow at the end.
  private var late = 0
  private(set) var settledFrames: Int64 = 0

  init(_ file: OutputFile, _ recipe: LibAVRecipe) throws(LibAVError) {
    (self.file, self.recipe, dithering) = (file, recipe, Dithering(recipe))
    encoder = try recipe.openEncoder()
    muxer = try self.recipe.openMuxer(of: file, for: .encoder(encoder))
    if recipe.container == .raw { late = encoder.delay }
  }

  /// Makes a file that is whole at each moment: PCM in WAV, or FLAC.
  static func growing(_ file: OutputFile, _ recipe: LibAVRecipe) throws -> LibAVEncoding {
    let encoding = try LibAVEncoding(file, recipe)
    try encoding.muxer.flush()
    if recipe.container == .wav {
      encoding.sizes = WAVSizes(header: try file.bytes(at: 0, count: Int(file.size)))
    }
    try encoding.settle()
    return encoding
  }

  func settle() throws {
    try muxer.flush()
    settled = file.size
    // Neither PCM nor FLAC holds back an encoded frame.
    settledFrames = encoder.submittedCount
    if let sizes { try file.put(sizes.header(fileSize: settled), at: 0) }
  }

  func mark(_ frame: Int64, _ label: String) {
    marks.append(WAVSizes.Mark(frame: frame, label: label))
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
      done += count
      guard encoder.room == 0 else { continue }
      try encoder.submit()
      try mux()
    }
  }

  private func encodeSilence(_ count: Int) throws(LibAVError) {
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

  private func mux() throws(LibAVError) {
    while let packet = try encoder.next() { try muxer.write(packet) }
  }

  func finish() throws -> [CopiedPart]? {
    if recipe.container == .raw { try encodeSilence(encoder.delay - late) }
    try encoder.finish()
    try mux()
    try muxer.finish()
    try file.put(recipe.laterTags)
    try appendTag()
    if var sizes {
      let chunks = sizes.append(marks, after: file.size)
      try file.put(chunks, at: file.size)
      try file.put(sizes.header(fileSize: file.size), at: 0)
      self.sizes = sizes
    }
    if settled > 0 { (settled, settledFrames) = (file.size, encoder.submittedCount) }
    return recipe.copied
  }

  /// Appends AIFF's ID3 chunk, at the file's end, where it can grow.
  private func appendTag() throws(Failure) {
    let tag = recipe.tag
    guard !tag.isEmpty else { return }
    let padding = [UInt8](repeating: 0, count: tag.count % 2)
    guard let size = UInt32(exactly: file.size + Int64(tag.count + padding.count)) else {
      throw Failure(.mendJob, "AIFF holds less than 4 GiB; write CAF or WAV")
    }
    func word(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) } }
    let head = Array("ID3 ".utf8) + word(UInt32(clamping: tag.count))
    try file.put(head + tag + padding, at: file.size)
    // The bytes after the first eight ("FORM" and this), with our chunk's header.
    try file.put(word(size), at: 4)
  }

  func cancel() {
    guard settled > 0 else { return }
    // A file that stays keeps its whole frames.
    file.cut(to: settled)
    if let sizes { try? file.put(sizes.header(fileSize: settled), at: 0) }
  }
}

/// How FFmpeg encodes and wraps an output.
struct LibAVRecipe {
  var container: Muxer.Container
  var codec: Encoder.Codec
  var sampleRate: Int
  var channelMask: UInt64
  /// How many channels there are where none has a position, and the mask is 0.
  var unplacedCount = 0
  var isDithered: Bool
  /// Parts of an output that copies its sources' samples.
  var copied: [CopiedPart]?
  /// The timeline's first frame.
  var firstFrame: Int64
  var metadata: [(key: String, value: String)]
  var chapters: [Muxer.Chapter]
  var picture: Picture?
  /// A tag to append to the muxer's bytes, or nothing.
  var tag: [UInt8] = []
  /// Tags that are put into the file when it is complete.
  var laterTags = WrittenTags.none

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
    return try Muxer.open(
      container, to: file, for: source, metadata: metadata, chapters: chapters, picture: picture,
      companions: companions)
  }

  /// Completes a file whose muxer has finished.
  func complete(_ file: OutputFile, unless cancellation: CancellationFlag) throws(Failure) {
    try file.put(laterTags)
    if container == .mp4 || container == .mov {
      try file.moveIndexToFront(unless: cancellation)
    }
  }
}
