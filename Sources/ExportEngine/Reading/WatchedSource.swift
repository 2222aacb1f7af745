import Diagnosis
import SystemPackage

/// A source whose reading is watched: a file on which it does not come back can then be named.
final class WatchedSource: FrameSource {
  private let source: any FrameSource
  private let path: FilePath
  private let watch: MediaLibrary.Watch

  init(_ source: any FrameSource, _ path: FilePath, _ watch: @escaping MediaLibrary.Watch) {
    (self.source, self.path, self.watch) = (source, path, watch)
  }

  var channelCount: Int { source.channelCount }
  var position: Int64 { source.position }

  func seek(to frame: Int64) throws(Failure) {
    watch(path)
    defer { watch(nil) }
    try source.seek(to: frame)
  }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    watch(path)
    defer { watch(nil) }
    return try source.read(into: buffer, at: offset, count: count)
  }
}
