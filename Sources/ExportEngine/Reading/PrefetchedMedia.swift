import Diagnosis
import ExportGraph
import MediaCache
import MediaComposition

/// The media of servers that an export reads, open as long as this object lives. What it reads of each
/// is said to the medium: a whole one, or nearly so, is asked for with one request, others by ranges.
final class PrefetchedMedia {
  private let media: [MediumBytes]

  /// Begins to fetch the first whole ones, and says which parts will be read of the others.
  ///
  /// - Throws: `Failure` where a server cannot be asked.
  /// - Complexity: O(n log n) in the graph's nodes
  init(of graph: Graph) throws(Failure) {
    var begun = 0
    media = try graph.remoteReads.map { asset, ranges throws(Failure) in
      let bytes = try MediumBytes(asset.location)
      let whole = 0..<asset.identity.size
      if Double(ranges.reduce(0) { $0 + $1.count }) < 0.9 * Double(whole.count) {
        let isExact = asset.codec.hasPrefix("pcm_") || asset.isReadFromItsStart
        bytes.prefetch(whileReading: ranges.map { PlannedRead(range: $0, isExact: isExact) })
      } else if begun < Self.mostBegun {
        bytes.prefetch(now: whole)
        begun += 1
      } else {
        bytes.prefetch(whileReading: [PlannedRead(range: whole, isExact: true)])
      }
      return bytes
    }
  }

  /// More at once would wait for one another: a server is asked for no more at a time.
  private static let mostBegun = 4
}

/// What an export reads of a medium of a server, and how much of it is still to be fetched.
package struct MediaFetch: Sendable, Hashable {
  /// The medium.
  package var location: MediaLocation
  /// Bytes that are not in the cache, to within what their format tells before it is read.
  package var byteCount: Int64
  /// The medium's bytes.
  package var size: Int64
}

extension ExportSession {
  /// What is to be fetched for a graph of the session, in the order of addresses.
  ///
  /// Bytes are taken to be as many in each second of a medium.
  ///
  /// - Throws: `Failure` where the cache cannot be read.
  /// - Complexity: O(graph + blocks of the media)
  package static func fetches(for graph: Graph) throws(Failure) -> [MediaFetch] {
    try graph.remoteReads.map { asset, ranges throws(Failure) in
      let missing = try MediumBytes(asset.location).missingBytes(of: ranges)
      return MediaFetch(location: asset.location, byteCount: missing, size: asset.identity.size)
    }
  }
}

extension Graph {
  /// The media of servers, in the order of their addresses, and the bytes that are read of each: in
  /// order, and as one where they nearly touch. O(n log n) in the nodes
  fileprivate var remoteReads: [(asset: Asset, ranges: [Range<Int64>])] {
    var reads: [MediaLocation: (asset: Asset, ranges: [Range<Int64>])] = [:]
    for case (let asset, let range)? in nodes.map(remoteRead) {
      // Two streams of a medium are read where either lies.
      reads[asset.location, default: (asset, [])].ranges.append(range)
    }
    return reads.values.sorted { $0.asset.location < $1.asset.location }.map { asset, ranges in
      var merged: [Range<Int64>] = []
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = merged.last, range.lowerBound <= last.upperBound + Self.nearness {
          merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
          merged.append(range)
        }
      }
      return (asset, merged)
    }
  }

  private static var nearness: Int64 { 64 << 10 }

  /// About which bytes a node reads, if it reads a medium through the cache.
  private func remoteRead(_ node: Node) -> (Asset, Range<Int64>)? {
    if case .process(.reverb(let reverb), _) = node.kind, reverb.impulse.location.isFetched {
      return (reverb.impulse, 0..<reverb.impulse.identity.size)
    }
    guard case .source(let source, let start) = node.kind, source.asset.location.isFetched else {
      return nil
    }
    let asset = source.asset
    let ratio = Double(source.ratio.source) / Double(source.ratio.target)
    let scale = Double(asset.identity.size) / Double(max(1, asset.frameCount))
    let first = Int64(Double(start) * ratio * scale)
    let end = first + Int64(Double(node.frames.count) * ratio * scale)
    let range = (asset.isReadFromItsStart ? 0 : first)..<end
    return (asset, range.clamped(to: 0..<asset.identity.size))
  }
}

extension Asset {
  /// Whether an exact place needs every byte before it.
  package var isReadFromItsStart: Bool { container == "mp3" }
}
