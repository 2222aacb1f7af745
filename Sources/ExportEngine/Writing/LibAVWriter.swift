import Diagnosis
import Glibc
import LibAV
import MediaComposition
import SystemPackage

/// Writes through one of FFmpeg's encoders: PCM, and FLAC that grows.
final class LibAVWriter: GrowingWriter {
  private let file: OutputFile
  private let encoder: Encoder
  private let muxer: Muxer
  private var dithering: Dithering
  private let copied: [CopiedPart]?
  /// The timeline's first frame: dither is that of the timeline, so that the parts of a sound are
  /// slices of the whole.
  private let firstFrame: Int64
  /// A tag to append to the muxer's bytes, or nothing.
  private let tag: [UInt8]
  private let laterTags: WrittenTags
  private var tally: SoundTally
  /// For a WAV that grows: keeps its sizes valid.
  private var sizes: WAVSizes?
  /// The marks of a WAV that grows, by their frames.
  private var marks: [WAVSizes.Mark] = []
  /// The end of the bytes that `settle` has made part of the file.
  private var settled: Int64 = 0
  private(set) var settledFrames: Int64 = 0

  private init(
    _ file: OutputFile, _ encoder: Encoder, _ muxer: Muxer, _ recipe: LibAVRecipe,
    _ tally: SoundTally
  ) {
    self.file = file
    self.encoder = encoder
    self.muxer = muxer
    dithering = Dithering(recipe)
    copied = recipe.copied
    firstFrame = recipe.firstFrame
    tag = recipe.tag
    laterTags = recipe.laterTags
    self.tally = tally
  }

  static func open(
    _ file: OutputFile, _ recipe: LibAVRecipe, tally: SoundTally
  ) throws(Failure) -> LibAVWriter {
    do throws(LibAVError) {
      let encoder = try Encoder.open(
        recipe.codec, sampleRate: recipe.sampleRate, channelMask: recipe.channelMask,
        unplacedCount: recipe.unplacedCount)
      let muxer = try Muxer.open(
        recipe.container, to: file, for: .encoder(encoder), metadata: recipe.metadata,
        chapters: recipe.chapters, picture: recipe.picture)
      return LibAVWriter(file, encoder, muxer, recipe, tally)
    } catch {
      throw error.outputFailure(file)
    }
  }

  /// Opens a writer of a file that is whole at each moment: PCM in WAV, or FLAC.
  static func openGrowing(
    _ file: OutputFile, _ recipe: LibAVRecipe, tally: SoundTally
  ) throws(Failure) -> LibAVWriter {
    let writer = try open(file, recipe, tally: tally)
    do throws(LibAVError) { try writer.muxer.flush() } catch { throw error.outputFailure(file) }
    if recipe.container == .wav {
      writer.sizes = WAVSizes(header: try file.bytes(at: 0, count: Int(file.size)))
    }
    try writer.settle()
    return writer
  }

  func settle() throws(Failure) {
    do throws(Failure) {
      do throws(LibAVError) { try muxer.flush() } catch { throw error.outputFailure(file) }
      settled = file.size
      // Neither PCM nor FLAC holds back an encoded frame.
      settledFrames = encoder.submittedCount
      if let sizes { try file.put(sizes.header(fileSize: settled), at: 0) }
    } catch {
      throw abandoning(error)
    }
  }

  func sync() throws(Failure) { try file.flush() }

  func mark(_ frame: Int64, _ label: String) {
    marks.append(WAVSizes.Mark(frame: frame, label: label))
  }

  func write(_ block: AudioBuffer) throws(Failure) {
    do throws(Failure) {
      try tally.add(block)
      do throws(LibAVError) { try encode(block) } catch { throw error.outputFailure(file) }
    } catch {
      throw abandoning(error)
    }
  }

  func finish() throws(Failure) -> WrittenOutput {
    do throws(Failure) {
      try tally.requireComplete()
      do throws(LibAVError) {
        try encoder.finish()
        try mux()
        try muxer.finish()
      } catch {
        throw error.outputFailure(file)
      }
      try file.put(laterTags)
      try appendTag()
      if var sizes {
        let chunks = sizes.append(marks, after: file.size)
        try file.put(chunks, at: file.size)
        try file.put(sizes.header(fileSize: file.size), at: 0)
        self.sizes = sizes
      }
      if settled > 0 { (settled, settledFrames) = (file.size, encoder.submittedCount) }
      try file.flush()
    } catch {
      throw abandoning(error)
    }
    var written = tally.result(of: file, sampleRate: encoder.sampleRate)
    written.copied = copied
    return written
  }

  /// Appends AIFF's ID3 chunk, at the file's end, where it can grow.
  private func appendTag() throws(Failure) {
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

  var files: [OutputFile] { [file] }

  func abandon() {
    if settled > 0 {
      // A file that stays keeps its whole frames.
      file.cut(to: settled)
      if let sizes { try? file.put(sizes.header(fileSize: settled), at: 0) }
    }
    file.discard()
  }

  private func abandoning(_ failure: Failure) -> Failure {
    abandon()
    return failure.about(file.path)
  }

  private func encode(_ block: AudioBuffer) throws(LibAVError) {
    var done = 0
    while done < block.frameCount {
      let frame = firstFrame + encoder.frameCount
      let count = min(
        encoder.room, block.frameCount - done, dithering.begin(at: encoder.frameCount))
      try encoder.fill(count, with: block.planes, from: done, frame: frame, dithering.quantizer)
      done += count
      guard encoder.room == 0 else { continue }
      try encoder.submit()
      try mux()
    }
  }

  private func mux() throws(LibAVError) {
    while let packet = try encoder.next() { try muxer.write(packet) }
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
  var firstFrame: Int64
  var metadata: [(key: String, value: String)]
  var chapters: [Muxer.Chapter]
  var picture: Picture?
  var tag: [UInt8] = []
  /// Tags that are put into the file when it is complete.
  var laterTags = WrittenTags.none
}

extension LibAVError {
  /// The failure of the output for this error of FFmpeg's.
  func outputFailure(_ file: OutputFile) -> Failure {
    if operation == "write", let posix {
      return .writing(posix, "cannot write the file", path: file.path)
    }
    if posix == ENOMEM { return .writing(ENOMEM, operation, path: file.path) }
    return Failure(.reportBug, "\(operation) failed: \(message)", path: file.path)
  }
}

extension SoundTally {
  func result(of file: OutputFile, sampleRate: Int) -> WrittenOutput {
    WrittenOutput(
      path: file.path, size: file.size, frameCount: frameCount, sampleRate: sampleRate,
      channelCount: channelCount, clippedSamples: clippedSamples, peak: peak)
  }
}

extension Failure {
  /// The same failure, about `path` if it has none yet.
  func about(_ path: FilePath) -> Failure {
    guard location == nil else { return self }
    var copy = self
    copy.location = .file(path)
    return copy
  }
}
