import ExportGraph
import MediaComposition
import SystemPackage

/// The open sources of one render: few, however many clips there are.
///
/// Clips from one file in order share a decoder and do not seek; sources that nothing has used
/// lately are closed. One thread at a time.
final class SourcePool {
  private struct Key: Hashable {
    var asset: Asset
    var format: AudioFormat
  }
  private struct Idle {
    var key: Key
    var source: any FrameSource
  }

  private let library: MediaLibrary
  /// Least recently used first.
  private var idle: [Idle] = []
  private static let idleLimit = 8

  /// What could not be decoded so far, by file.
  private(set) var damage: [FilePath: Damage] = [:]

  init(_ library: MediaLibrary) { self.library = library }

  /// A source at `frame` of the asset in `format`, from the idle one that gets there cheapest.
  func acquire(_ asset: Asset, in format: AudioFormat, at frame: Int64) throws(Failure)
    -> any FrameSource
  {
    let key = Key(asset: asset, format: format)
    let candidates = idle.indices.filter { idle[$0].key == key }
    let behind = candidates.filter { idle[$0].source.position <= frame }
    let nearest = behind.max { idle[$0].source.position < idle[$1].source.position }
    let source: any FrameSource
    if let index = nearest ?? candidates.last {
      source = idle.remove(at: index).source
    } else {
      source = try open(asset, in: format)
    }
    try source.seek(to: frame)
    return source
  }

  /// Gives a source back for the next clip.
  func release(_ source: any FrameSource, _ asset: Asset, in format: AudioFormat) {
    idle.append(Idle(key: Key(asset: asset, format: format), source: source))
    if idle.count > Self.idleLimit { idle.removeFirst() }
  }

  private func open(_ asset: Asset, in format: AudioFormat) throws(Failure) -> any FrameSource {
    let damage = self.damage[asset.path] ?? Damage()
    self.damage[asset.path] = damage
    return convert(
      try library.open(asset, noting: damage),
      from: AudioFormat(sampleRate: asset.sampleRate, channelLayout: asset.channelLayout),
      to: format, frameCount: asset.frameCount)
  }
}

/// A source in another format: fewer channels before the rate is changed, more after.
func convert(
  _ source: any FrameSource, from: AudioFormat, to: AudioFormat, frameCount: Int64
) -> any FrameSource {
  var source = source
  let isReducing = to.channelLayout.count < from.channelLayout.count
  let isMoving = to.channelLayout != from.channelLayout
  let matrix = ChannelMatrix(from: from.channelLayout, to: to.channelLayout)
  if isMoving, isReducing { source = MatrixedSource(source, matrix) }
  if from.sampleRate != to.sampleRate {
    source = ResampledSource(
      source, from: from.sampleRate, to: to.sampleRate, frameCount: frameCount)
  }
  if isMoving, !isReducing { source = MatrixedSource(source, matrix) }
  return source
}
