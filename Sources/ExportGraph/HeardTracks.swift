import Diagnosis
import MediaComposition

/// A track as a listener switches it: all nodes that render it.
///
/// Tracks of a composition that follow one another with one origin are one, as those of a sequence
/// that cross-fades. Where a mix was edited as a whole, the outermost composition has pieces of the
/// mix, and the tracks are those of the pieces.
package struct HeardTrack: Sendable, Hashable {
  /// The name of the track, if it has one.
  package var name: String?
  /// Where it was written.
  var origin: Origin
  /// Whether any of it is enabled.
  package var sounds: Bool
  /// What renders it in the graph.
  package var nodes: [Node.ID]

  init(_ track: Track, _ nodes: [Node.ID]) {
    (name, origin, sounds, self.nodes) = (track.name, track.origin, track.isEnabled, nodes)
  }

  fileprivate mutating func add(_ other: HeardTrack) {
    sounds = sounds || other.sounds
    nodes += other.nodes
  }
}

extension Compiler {
  /// The tracks of a composition whose nodes, by track, are `children`.
  func heardTracks(of composition: Composition, _ children: [[Node.ID]]) -> [HeardTrack] {
    if !composition.tracks.contains(where: { $0.name != nil && $0.mediaType == .audio }),
      let inner = tracksOfPieces(of: composition, children)
    {
      return inner
    }
    var found: [HeardTrack] = []
    for (track, nodes) in zip(composition.tracks, children) where track.mediaType == .audio {
      let own = HeardTrack(track, nodes)
      if let last = found.last, track.origin != .unknown, last.origin == track.origin {
        found[found.count - 1].add(own)
      } else {
        found.append(own)
      }
    }
    return found
  }

  /// The tracks of the pieces of a mix that was cut, and one for what was inserted into it; nil where
  /// there are no such pieces.
  private func tracksOfPieces(
    of composition: Composition, _ children: [[Node.ID]]
  ) -> [HeardTrack]? {
    var found: [HeardTrack] = []
    var rest: [Node.ID] = []
    for (track, nodes) in zip(composition.tracks, children) {
      for node in nodes {
        // An edit gives its pieces the origin of the item that it edits.
        guard track.origin != .unknown, self.nodes[node].origin == track.origin,
          let inner = mixTracks[node]
        else {
          rest.append(node)
          continue
        }
        for own in inner {
          if let index = found.firstIndex(where: { $0.name == own.name && $0.origin == own.origin })
          {
            found[index].add(own)
          } else {
            found.append(own)
          }
        }
      }
    }
    guard let first = composition.tracks.first(where: { $0.mediaType == .audio }), !found.isEmpty
    else { return nil }
    if !rest.isEmpty {
      var others = HeardTrack(first, rest)
      (others.name, others.sounds) = ("insertions", true)
      found.append(others)
    }
    return found
  }
}
