import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime

/// Frames of a file, as a source has them.
final class SourceNode: Sound {
  private let node: Node
  private let source: Source
  private let start: Int64
  private let pool: SourcePool
  private var opened: (any Sound)?
  /// The frame of the source behind those that were read last.
  private var position: Int64 = 0

  init(_ node: Node, _ source: Source, start: Int64, _ pool: SourcePool) {
    self.node = node
    self.source = source
    self.start = start
    self.pool = pool
  }

  var channelCount: Int { node.format.channelLayout.count }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    do throws(Failure) {
      let own = frames.mapped { start + $0 - node.frames.lowerBound }
      let taken = try open(at: own.lowerBound).read(own, into: buffer, at: offset)
      position = own.lowerBound + Int64(taken)
      guard taken == frames.count else { throw endedEarly(at: position) }
      try refuseNonFinite(buffer, from: offset, count: taken)
      return taken
    } catch {
      throw error.placed(at: node.origin)
    }
  }

  func close() {
    guard let opened else { return }
    pool.release(opened, of: source, at: position)
    self.opened = nil
  }

  private func open(at frame: Int64) throws(Failure) -> any Sound {
    if let opened { return opened }
    let acquired = try pool.acquire(source, near: frame)
    (opened, position) = (acquired, frame)
    return acquired
  }

  private func endedEarly(at frame: Int64) -> Failure {
    let asset = source.asset
    let found = Time(frames: frame, rate: node.format.sampleRate)
    return Failure(
      .mendInput,
      "breaks off at \(found.inSeconds) and not at \(asset.duration.inSeconds); "
        + "copy or download it again, or clip a range before that", location: asset.location)
  }

  /// Integers are finite by nature; decoders of other formats may pass on a file's NaN.
  private func refuseNonFinite(_ buffer: AudioBuffer, from offset: Int, count: Int) throws(Failure)
  {
    if source.asset.bitDepth != nil { return }
    guard buffer.isFinite(from: offset, count: count) else {
      // Cool Edit's floats, or a wrong header.
      let header =
        source.asset.codec == "pcm_f24le"
        ? ": its header has 24 bits in 4 bytes, which are read as floats, as Cool Edit wrote them; "
          + "give integers a header of 32 bits"
        : ""
      throw Failure(
        .mendInput, "holds samples that are no numbers (NaN or infinity)" + header,
        location: source.asset.location)
    }
  }
}
