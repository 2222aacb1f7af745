import Diagnosis
import MediaComposition

/// The format of a source, as agreed when it was opened.
package typealias SourceFormat = SinkFormat

/// The result of a read, by what the caller does next.
package enum SourceOutcome: Sendable, Hashable {
  /// The read gave this many frames, at least one.
  case read(Int)
  /// There are no frames now; wait.
  case empty
  /// The frames were not read in time, and some were lost; the source records again.
  case overran
  /// The system has stopped the source, and frames were lost; it records again.
  case interrupted
  /// The device is gone; close the source, and open it again.
  case gone
}

/// A source of sound: a device, or a test.
///
/// Belongs to one thread, the reading one, under the conditions of `AudioSink`. It records from its
/// opening on.
package protocol AudioSource: AnyObject {
  /// The format of its frames.
  var format: SourceFormat { get }

  /// Frames that were recorded and not read yet; 0 if unknown.
  var delay: Int { get }

  /// Reads frames in the source's format, as many as there are, up to `count`.
  func read(into frames: UnsafeMutableRawPointer, count: Int) -> SourceOutcome

  /// Waits for frames, another outcome, or the time.
  func wait(milliseconds: Int32)
}

/// Opens the source of a recorder, on the reading thread. It is called again, from time to time, if
/// the source is gone.
///
/// - Parameter wanted: Rate, channels and samples; the source may have others.
/// - Throws: `mendMachine` or `tryAgain` if there is no source.
package typealias SourceOpener =
  @Sendable (_ wanted: SourceRequest) throws(Failure) -> any AudioSource

/// The format that a recorder requests of a source.
package struct SourceRequest: Sendable, Hashable {
  /// Frames a second.
  package var sampleRate: Int
  /// Channels of a frame.
  package var channelCount: Int
  /// The encodings, the best first; the source gets the first one that it has.
  package var encodings: [SampleEncoding]
  /// Milliseconds between two reads.
  package var periodMilliseconds: Int

  /// A request for a rate and channels.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames a second.
  ///   - channelCount: Channels of a frame.
  ///   - encodings: The best first; by default float, which loses nothing, then integers from the
  ///     widest down.
  ///   - periodMilliseconds: 20 by default, so that the thread wakes fifty times a second.
  package init(
    sampleRate: Int, channelCount: Int, encodings: [SampleEncoding] = SampleEncoding.allCases,
    periodMilliseconds: Int = 20
  ) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.encodings = encodings
    self.periodMilliseconds = periodMilliseconds
  }
}

extension SampleEncoding {
  /// The encodings from which a file's samples are made with the least change, the best first: the
  /// file's own, then wider ones, which hold its samples as well, then narrower ones.
  ///
  /// - Parameter samples: The samples of the file; nil for the device's own.
  /// - Returns: All encodings.
  static func order(for samples: Output.SampleFormat?) -> [SampleEncoding] {
    switch samples {
    case .int16: [.int16, .float32, .int32, .int24, .packedInt24]
    case .int24: [.int24, .packedInt24, .int32, .float32, .int16]
    default: SampleEncoding.allCases
    }
  }
}
