import Diagnosis
import ExportGraph
import Glibc
import LibAV
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Writes channels of sound through `makeWriter`, in blocks of some length; at 44.1 kHz, or the
/// rate nearest to it that the format has, unless told otherwise. The first frame is the timeline's
/// frame `start`.
@discardableResult
func writeSound(
  _ channels: [[Float]], to path: String, _ format: Output.Format, sampleRate: Int? = nil,
  layout: ChannelLayout? = nil, isDithered: Bool = false, metadata: Metadata = Metadata(),
  chapters: [Chapter] = [], from start: Int64 = 0, blockLength: Int = 4096
) throws(Failure) -> WrittenOutput {
  LibAV.Library.silence()
  let count = channels[0].count
  let layout = layout ?? (channels.count == 1 ? .mono : .stereo)
  let sampleRate = sampleRate ?? format.kind.capabilities.sampleRates.nearest(to: 44_100)
  var sink = Sink(
    node: 0, frames: start..<start + Int64(count),
    output: Output(path: FilePath(path), format: format),
    metadata: metadata, chapters: chapters, isDithered: isDithered)
  if format.kind.capabilities.places.contains(.cues) {
    sink.marks.cues = chapters.map {
      MediaMarks.Cue(frame: $0.start.frames(atRate: sampleRate), label: $0.title)
    }
  }
  let writer = try makeWriter(
    for: sink, format: AudioFormat(sampleRate: sampleRate, channelLayout: layout))
  let block = AudioBuffer(channelCount: channels.count, capacity: blockLength)
  for start in stride(from: 0, to: count, by: blockLength) {
    block.fill(channels, from: start, count: min(blockLength, count - start))
    try writer.write(block)
  }
  let written = try writer.finish()
  try writer.commit()
  return written
}

extension AudioBuffer {
  /// Takes `count` frames of some channels.
  func fill(_ channels: [[Float]], from start: Int, count: Int) {
    frameCount = count
    for (channel, samples) in channels.enumerated() {
      planes[channel].update(from: Array(samples[start..<start + count]), count: count)
    }
  }
}

/// Random integers of so many bits, as floats: what a lossless path must bring through.
func integers(seed: UInt64, bits: Int, count: Int) -> [Float] {
  let scale = Float(1 << (bits - 1))
  return Signal.noise(seed: seed, count: count, amplitude: 1).map {
    ($0 * scale).rounded(.down) / scale
  }
}

/// The samples of one channel that ffmpeg decodes, without a word of warning.
func decode(
  _ path: String, channel: Int = 0, of channelCount: Int = 1, allowing words: String? = nil
) throws -> [Float] {
  let result = try Tool.succeed("ffmpeg", "-v", "warning", "-i", path, "-f", "f32le", "-")
  // Of WAV without a channel mask it says that mono is mono; of any CAF, its own ones too, that it
  // takes the length from the size.
  let warnings = result.errors.split(separator: "\n").filter {
    !$0.contains("Guessed Channel") && !$0.contains(words ?? "\n")
      && !($0.hasPrefix("[caf") && $0.contains("Estimating duration from bitrate"))
  }
  #expect(warnings == [])
  return result.floats.channel(channel, of: channelCount)
}

/// The numbers of one entry for which ffprobe is asked.
func probe(_ path: String, _ entries: String, _ more: String...) throws -> String {
  let arguments = ["ffprobe", "-v", "error", "-show_entries", entries, "-of", "default=nw=1:nk=1"]
  let result = try Tool.run(arguments + more + [path])
  #expect(result.status == 0 && result.errors == "")
  return result.text.trimmed
}

extension String {
  var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}

/// Lengths at which frames, blocks and encoder delays meet their edges, and some between.
let edgeLengths = [1, 575, 576, 577, 1151, 1152, 1153, 2047, 25_000, 44_100, 12_345, 31_337]

/// Names of what lies in a folder.
func entries(of folder: String) throws -> [String] {
  try Tool.succeed("ls", "-A", folder).text.split(separator: "\n").map(String.init)
}

extension Sink {
  /// A sink of an output that says its format.
  init(
    node: Node.ID, frames: Range<Int64>, output: Output, metadata: Metadata, chapters: [Chapter],
    isDithered: Bool
  ) {
    self.init(
      node: node, frames: frames, output: output, format: output.format ?? .wav(.int16),
      metadata: metadata, chapters: chapters, isDithered: isDithered)
  }
}

extension FileCalls {
  /// Those of a disk that is full at this number of bytes.
  static func disk(of limit: Int64) -> FileCalls {
    FileCalls(write: { descriptor, bytes, offset in
      let count = min(Int64(bytes.count), limit - offset)
      guard count > 0 else {
        errno = ENOSPC
        return -1
      }
      return pwrite(descriptor, bytes.baseAddress, Int(count), off_t(offset))
    })
  }
}
