import Diagnosis
import MediaComposition

extension SettledOutput {
  /// Throws `mendJob` if a file in this format cannot hold so many frames.
  func requireRoom(for frameCount: Int64) throws(Failure) {
    func failure(_ message: String) -> Failure {
      Failure(.mendJob, message, path: output.path, origin: output.origin)
    }
    let capabilities = format.kind.capabilities
    guard frameCount > 0 || capabilities.holdsNoSound else {
      throw failure("\(capabilities.name) cannot hold a sound of no length; write WAV or FLAC")
    }
    guard case .aiff(let samples) = format else { return }
    // A chunk's size has 32 bits (AIFF 1.3, "Local Chunks"); a cover needs room, too.
    let size = frameCount.multipliedReportingOverflow(
      by: Int64(sound.channelLayout.count * samples.byteCount))
    guard !size.overflow, size.partialValue < Int64(UInt32.max) - (1 << 25) else {
      throw failure("AIFF holds less than 4 GiB; write CAF or WAV")
    }
  }
}

extension Graph {
  /// Whether a file in `format` needs dither after a node: its integers have few bits, and are no
  /// copy of a source's samples. O(nodes).
  package func needsDither(_ node: Node.ID, as format: Output.Format) -> Bool {
    guard let depth = format.ditheredDepth else { return false }
    return !nodes.passesUntouched(from: node, depth: depth)
  }
}

extension [Node] {
  /// Whether every sample below `root` is one sample of a source of at most `depth` bits, or silence.
  fileprivate func passesUntouched(from root: Node.ID, depth: Int) -> Bool {
    guard self[root].level.isUnity else { return false }
    switch self[root].kind {
    case .source(let source, _):
      return (source.asset.bitDepth ?? .max) <= depth && source.ratio == .one
        && source.matrix.isPermutation
    case .excerpt(let child, _), .process(.reverse, let child):
      return passesUntouched(from: child, depth: depth)
    case .convert, .process, .duck:
      return false
    case .mix(let children):
      let ranges = children.map { self[$0].frames }.sorted { $0.lowerBound < $1.lowerBound }
      let isSequence = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
      return isSequence && children.allSatisfy { passesUntouched(from: $0, depth: depth) }
    }
  }
}
