import Diagnosis
import MediaComposition

/// What a source gives, as agreed when it was opened: the mirror of what a sink takes.
public typealias SourceFormat = SinkFormat

/// What a read from a source came to, by what is to be done next.
public enum SourceOutcome: Sendable, Hashable {
  /// So many frames came, at least one.
  case read(Int)
  /// There are none now; wait.
  case empty
  /// Nobody read in time, and sound was lost; it records again.
  case overran
  /// It was stopped by the system, and sound was lost; it records again.
  case interrupted
  /// It is not there any more; close it, and open it anew.
  case gone
}

/// Where sound comes from: a device, a test.
///
/// Of one thread, the reader's, as `AudioSink` is of the writer's, and under the same conditions. It
/// records from its opening on.
public protocol AudioSource: AnyObject {
  /// What it gives.
  var format: SourceFormat { get }

  /// Frames that were recorded and not read yet; 0 where the source cannot tell.
  var delay: Int { get }

  /// Takes frames in the source's format, as many as there are, up to `count`.
  func read(into frames: UnsafeMutableRawPointer, count: Int) -> SourceOutcome

  /// Waits until there are frames, or something else to tell, or the time is over.
  func wait(milliseconds: Int32)
}

/// Opens the source of a recorder, on the reader's thread; it is asked again, from time to time, where
/// the source is gone.
///
/// - Parameter wanted: Rate and channels; the source may have others.
/// - Throws: `mendMachine` or `tryAgain` where there is none.
public typealias SourceOpener =
  @Sendable (_ wanted: SourceRequest) throws(Failure) -> any AudioSource

/// What a recorder would like of a source.
public typealias SourceRequest = SinkRequest
