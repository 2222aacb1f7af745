extension FrameIndex {
  /// Why a file has no index.
  package enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nowhere are two frames in a row.
    case noFrames
    /// The frames are those of another layer.
    case notLayer3(FrameHeader.Layer)
    /// Free format: the header does not have the frame's length.
    case freeFormat

    /// A phrase to stand behind the file's name.
    package var description: String {
      switch self {
      case .noFrames: "holds no MPEG audio frames"
      case .notLayer3(let layer): "is MPEG audio Layer \(layer.numeral), not MP3"
      case .freeFormat: "is a free-format MP3, which is not supported"
      }
    }
  }

  /// An oddity of a file that players do not report.
  package enum Anomaly: Sendable, Hashable, CustomStringConvertible {
    /// Bytes between frames, or behind them, that are neither frames nor a known tag; the first of them lie
    /// before frames of these numbers, in order: of the first runs.
    case skippedBytes(Int, runs: Int, firstOffset: Int, frames: [Int])
    /// The first frame whose number of channels is not that of the frame before it.
    case channelCountChange(frame: Int, channelCount: Int)
    /// From `offset` on, frames of another version, layer or sample rate follow; the index ends.
    case formatChange(frame: Int, offset: Int, header: FrameHeader)
    /// An encoder's tag in mid-stream: files joined byte by byte.
    case innerTag(frame: Int)
    /// The file ends within a frame, which is not in the index.
    case truncatedFrame(missingBytes: Int)
    /// The tag announces another number of frames.
    case announcedFrameCount(Int, found: Int)
    /// The tag's CRC is wrong.
    case tagChecksum

    /// A phrase to stand behind the file's name.
    package var description: String {
      switch self {
      case .skippedBytes(let count, let runs, let offset, _):
        "has \(count) bytes that are no frames in \(runs) \(runs == 1 ? "place" : "places"), "
          + "first at byte \(offset)"
      case .channelCountChange(let frame, let count):
        "changes to \(count == 1 ? "mono" : "stereo") at frame \(frame)"
      case .formatChange(let frame, let offset, let header):
        "changes to \(header.sampleRate) Hz Layer \(header.layer.numeral) at frame \(frame), "
          + "byte \(offset); the sound from there on is left out"
      case .innerTag(let frame):
        "has a second encoder tag at frame \(frame), as joined files do"
      case .truncatedFrame(let missing):
        "ends \(missing) bytes before its last frame does"
      case .announcedFrameCount(let announced, let found):
        "announces \(announced) frames and holds \(found)"
      case .tagChecksum:
        "has an encoder tag with a wrong checksum"
      }
    }
  }
}

extension FrameHeader.Layer {
  /// As the standard writes it.
  package var numeral: String { String(repeating: "I", count: rawValue) }
}
