import Diagnosis
import SystemPackage

/// A source whose reading is watched: a file on which it does not come back can then be named.
final class WatchedSource: FrameSource {
  private let source: any FrameSource
  private let location: MediaLocation
  private let watch: MediaLibrary.Watch

  init(_ source: any FrameSource, _ location: MediaLocation, _ watch: @escaping MediaLibrary.Watch)
  {
    (self.source, self.location, self.watch) = (source, location, watch)
  }

  var channelCount: Int { source.channelCount }
  var position: Int64 { source.position }

  func seek(to frame: Int64) throws(Failure) {
    watch(location)
    defer { watch(nil) }
    try source.seek(to: frame)
  }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    watch(location)
    defer { watch(nil) }
    return try source.read(into: buffer, at: offset, count: count)
  }
}
