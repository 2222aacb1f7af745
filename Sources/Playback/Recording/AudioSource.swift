import Diagnosis
import MediaComposition

/// The format of a source, as agreed when it was opened.
public typealias SourceFormat = SinkFormat

/// The result of a read, by what the caller does next.
public enum SourceOutcome: Sendable, Hashable {
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
public protocol AudioSource: AnyObject {
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
/// - Parameter wanted: Rate and channels; the source may have others.
/// - Throws: `mendMachine` or `tryAgain` if there is no source.
public typealias SourceOpener =
  @Sendable (_ wanted: SourceRequest) throws(Failure) -> any AudioSource

/// The format that a recorder requests of a source.
public typealias SourceRequest = SinkRequest
