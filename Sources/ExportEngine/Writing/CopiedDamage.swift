import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime

/// Frames of MP3s that are copied as they are, though something is wrong with them or before them.
struct CopiedDamage {
  private var sources: [Source] = []

  private struct Source {
    let location: MediaLocation
    /// When they are heard, by their numbers.
    var times: [Int: Time] = [:]
    /// Those whose checksum does not fit, and how many fit.
    var doubtful: [Int: Time] = [:]
    var fitting = 0
  }

  /// Larger counts tell a reader no more.
  private static let most = 10_000

  /// Notes a frame of a source.
  mutating func note(_ frame: Int, of location: MediaLocation, _ index: FrameIndex) {
    let place = place(of: location)
    guard sources[place].times.count < Self.most else { return }
    sources[place].times[frame] = index.time(ofFrame: frame)
  }

  /// Notes a frame whose checksum does not fit.
  mutating func note(checksumOf frame: Int, of location: MediaLocation, _ index: FrameIndex) {
    let place = place(of: location)
    guard sources[place].doubtful.count < Self.most else { return }
    sources[place].doubtful[frame] = index.time(ofFrame: frame)
  }

  /// Notes that so many more frames have checksums that fit.
  mutating func note(checksums count: Int, of location: MediaLocation) {
    guard count > 0 else { return }
    sources[place(of: location)].fitting += count
  }

  private mutating func place(of location: MediaLocation) -> Int {
    // That of the copy which is written.
    if let known = sources.lastIndex(where: { $0.location == location }) { return known }
    sources.append(Source(location: location))
    return sources.count - 1
  }

  /// One for each source with such frames, in the order of the output.
  var warnings: [Warning] {
    sources.compactMap { source in
      var times = source.times
      // Some encoders write no right checksum at all.
      if source.doubtful.count < source.fitting {
        times.merge(source.doubtful) { known, _ in known }
      }
      // What is wrong with a frame may show in the next one, too.
      let frames = times.keys.sorted().filter { times[$0 - 1] == nil }
      let named = frames.prefix(Self.mostNamed).compactMap { times[$0]?.clockText(decimals: 3) }
      guard !named.isEmpty else { return nil }
      let others = frames.count - named.count
      return Warning(
        "is damaged at " + named.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
          + ", where its frames are copied as they are; copy or download it again, or "
          + "write a quality, as 'V2', to encode what can be decoded", location: source.location)
    }
  }

  /// How many times a warning has.
  private static let mostNamed = 3
}
