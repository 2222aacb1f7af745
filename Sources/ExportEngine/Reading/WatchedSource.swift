import Diagnosis
import SystemPackage

/// A source whose reading is watched: a file on which it does not come back can then be named.
final class WatchedSource: DerivedSound {
  let input: any Sound
  private let location: MediaLocation
  private let watch: MediaLibrary.Watch

  init(_ source: any Sound, _ location: MediaLocation, _ watch: @escaping MediaLibrary.Watch) {
    (input, self.location, self.watch) = (source, location, watch)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    watch(location)
    defer { watch(nil) }
    return try input.read(frames, into: buffer, at: offset)
  }
}
