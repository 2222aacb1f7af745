package import MPEGAudio

/// Why LAME did not encode.
package enum LAMEError: Error, Sendable, Hashable {
  /// A call answered with a negative status (`lame_errorcodes_t`, or the call's own from lame.h).
  case status(Int32, operation: String)
  /// LAME would take another setting than the given one, or none; the words say which.
  case unsupported(String)
  /// A sample is NaN or infinite: LAME never sees it. The frame counts from the encoder's first.
  case notFinite(channel: Int, frame: Int64)
  /// A sample is larger than `MP3Encoder.largestSample`: LAME never sees it.
  case tooLoud(channel: Int, frame: Int64)
  /// LAME's stream does not hold what its frames say: a mistake of ours or LAME's.
  case damagedStream(FrameUnpacker.Problem)
  /// Frames found no room when the bit reservoir was laid out again: a mistake of ours.
  case noRoom(frame: Int)
  /// The job was stopped.
  case cancelled

  /// One line, for people.
  package var message: String {
    switch self {
    case .status(let code, let operation):
      "\(operation): \(Self.meaning(of: code, operation: operation))"
    case .unsupported(let words):
      words
    case .notFinite(let channel, let frame):
      "channel \(channel + 1) of frame \(frame) is not a finite number"
    case .tooLoud(let channel, let frame):
      "channel \(channel + 1) of frame \(frame) is more than 60 dB over full scale"
    case .damagedStream(let problem): "LAME's stream is damaged: \(problem)"
    case .noRoom(let frame): "the bit reservoir has no room for MP3 frame \(frame)"
    case .cancelled: "stopped"
    }
  }

  /// LAME's words for a status: lame.h at `lame_encode_buffer` and at `lame_errorcodes_t`.
  private static func meaning(of code: Int32, operation: String) -> String {
    let isEncoding = operation.hasPrefix("lame_encode")
    return switch code {
    case -1 where isEncoding: "the output buffer was too small"
    case -2 where isEncoding, -10: "out of memory"
    case -3 where isEncoding: "lame_init_params was not called"
    case -4 where isEncoding: "psycho acoustic problems"
    case -1: "refused"
    case -11: "bad bit rate"
    case -12: "bad sample frequency"
    case -13: "internal error"
    default: "status \(code)"
    }
  }
}

/// The gate that every LAME status passes: gives it back where it is no error.
@discardableResult
func check(_ status: Int32, _ operation: @autoclosure () -> String) throws(LAMEError) -> Int32 {
  guard status >= 0 else { throw .status(status, operation: operation()) }
  return status
}

extension FrameUnpacker {
  /// Takes all of LAME's bytes.
  mutating func drain(
    _ bytes: inout [UInt8], into frames: inout [UnpackedFrame]
  ) throws(LAMEError) {
    do throws(FrameUnpacker.Problem) {
      try bytes.withUnsafeBufferPointer { bytes throws(FrameUnpacker.Problem) in
        try unpack(bytes, into: &frames)
      }
    } catch {
      throw .damagedStream(error)
    }
    bytes.removeAll(keepingCapacity: true)
  }
}

extension FrameStream {
  /// As `append`, with LAME's error.
  mutating func pack(
    _ frames: ArraySlice<UnpackedFrame>, leaving mainDataBegin: Int, into bytes: inout [UInt8]
  ) throws(LAMEError) {
    do throws(FramePacker.NoRoom) {
      try append(frames, leaving: mainDataBegin, into: &bytes)
    } catch {
      throw .noRoom(frame: error.frame)
    }
  }
}
