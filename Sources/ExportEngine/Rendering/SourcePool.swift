import Diagnosis
import ExportGraph
import MediaComposition
import SystemPackage
import Threads

/// The open sources of one render: few, however many clips there are.
///
/// Clips from one file in order share a decoder and do not seek; the least recently used sources
/// are closed. One thread at a time.
final class SourcePool {
  private let library: MediaLibrary
  private let cancellation: CancellationFlag
  private var idle = IdleSources<Source, any Sound>(limit: idleLimit)
  /// How many sources stay open that nothing reads.
  static let idleLimit = 8

  private(set) var damage: [MediaLocation: Damage] = [:]

  init(_ library: MediaLibrary, unless cancellation: CancellationFlag) {
    self.library = library
    self.cancellation = cancellation
  }

  /// The source, to be read from one of its frames on: the idle one with the cheapest way, if any.
  func acquire(_ source: Source, near frame: Int64) throws(Failure) -> any Sound {
    // `??` would lose the type of what `open` throws.
    if let idle = idle.take(source, near: frame) { idle } else { try open(source) }
  }

  func release(_ opened: any Sound, of source: Source, at frame: Int64) {
    idle.put(opened, of: source, at: frame)
  }

  private func open(_ source: Source) throws(Failure) -> any Sound {
    let asset = source.asset
    let damage = self.damage[asset.location] ?? Damage(unless: cancellation)
    self.damage[asset.location] = damage
    return convert(
      try library.open(asset, noting: damage), by: source.matrix, source.ratio,
      sampleRate: asset.sampleRate, frameCount: asset.frameCount, targetCount: source.frameCount)
  }
}

/// A source with other channels, at another rate, or both: fewer channels before the rate is
/// changed, more after.
func convert(
  _ source: any Sound, by matrix: ChannelMatrix, _ ratio: FrameRatio, sampleRate: Int,
  frameCount: Int64, targetCount: Int64
) -> any Sound {
  var source = source
  let isReducing = matrix.weights.count < source.channelCount
  if !matrix.isIdentity, isReducing { source = MatrixedSource(source, matrix) }
  if ratio != .one {
    source = ResampledSource(
      source, ratio, sampleRate: sampleRate, frameCount: frameCount, targetCount: targetCount)
  }
  if !matrix.isIdentity, !isReducing { source = MatrixedSource(source, matrix) }
  return source
}
