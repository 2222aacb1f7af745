import MediaComposition

/// A sound that is brought to a level: one gain and, where peaks would pass the ceiling, a true-peak
/// limiter.
package struct Normalization: Sendable, Hashable, Encodable {
  /// The level.
  package var target: LoudnessTarget
  /// Decibels by which the limiter stays below the target's ceiling, for the peaks that a lossy
  /// encoder adds.
  package var headroom: Double
  /// Decibels by which it is louder than the target, for what a lossy encoder takes away.
  package var compensation = 0.0
  /// nil until the sound is measured.
  package var solution: Solution?

  /// What brings the sound to the level.
  package struct Solution: Sendable, Hashable, Encodable {
    /// The factor of each sample.
    package var gain: Gain
    /// The limiter's ceiling after the gain, dBTP; nil: no peak passes it, and nothing is limited.
    package var ceiling: Double?

    /// A gain, and a limiter after it.
    package init(gain: Gain, ceiling: Double? = nil) {
      self.gain = gain
      self.ceiling = ceiling
    }
  }

  /// A sound that is still to be measured.
  package init(_ target: LoudnessTarget, headroom: Double = 0) {
    self.target = target
    self.headroom = headroom
  }

  /// dBTP that no peak may pass before it is encoded; nil: any may.
  package var ceiling: Double? { target.truePeak.map { $0 - headroom } }

  /// The limiter that keeps the ceiling; nil: there is none.
  package var limiter: Effect.Limiter? { ceiling.map { Effect.Limiter(ceiling: $0) } }
}

extension Graph {
  /// The nodes that are brought to a level, children before parents.
  package var normalizations: [(node: Node.ID, normalization: Normalization, child: Node.ID)] {
    nodes.indices.compactMap { id in
      guard case .process(.normalize(let normalization), let child) = nodes[id].kind else {
        return nil
      }
      return (id, normalization, child)
    }
  }

  /// The sounds of a group: items as they are before their level; and of all outputs, which hold the same
  /// sound, the first with the most channels, before its level, or of an album behind it.
  package func sounds(ofGroup name: String) -> [Node.ID] {
    let masters = Set(sinks.map(\.node))
    let members = normalizations.filter { $0.normalization.target.group == name }
    let outputs =
      members.filter { masters.contains($0.node) }.map(\.child)
      + sinks.filter { $0.album?.group == name }.map(\.node)
    func channelCount(_ id: Node.ID) -> Int { nodes[id].format.channelLayout.count }
    let most = outputs.map(channelCount).max()
    return members.filter { !masters.contains($0.node) }.map(\.child)
      + outputs.filter { channelCount($0) == most }.prefix(1)
  }

  /// The names of all groups that its sounds are in, and of its outputs' albums.
  package var groupNames: Set<String> {
    Set(normalizations.compactMap(\.normalization.target.group))
      .union(sinks.compactMap(\.album?.group))
  }

  /// The same graph with a node's gain and ceiling.
  package mutating func solve(_ id: Node.ID, by solution: Normalization.Solution) {
    guard case .process(.normalize(var normalization), let child) = nodes[id].kind else { return }
    normalization.solution = solution
    nodes[id].kind = .process(.normalize(normalization), child)
  }

  /// The same graph where the sound of sink number `index` is to be brought to a level anew. Other
  /// sinks keep theirs.
  package mutating func renew(_ normalization: Normalization, ofSink index: Int) {
    let id = sinks[index].node
    guard case .process(.normalize, let child) = nodes[id].kind else { return }
    var node = nodes[id]
    var open = normalization
    open.solution = nil
    node.kind = .process(.normalize(open), child)
    if sinks.filter({ $0.node == id }).count == 1 {
      nodes[id] = node
    } else {
      nodes.append(node)
      sinks[index].node = nodes.count - 1
    }
  }
}

extension Normalization: CustomStringConvertible {
  /// As `to −16.0 LUFS, ceiling −1.8 dBTP`; with the gain where it is known.
  package var description: String {
    var text = "to \(target.level)"
    if let ceiling { text += ", ceiling \(ceiling.tenths) dBTP" }
    guard let solution else { return text }
    text += ": gain \(solution.gain.decibels.signedTenths) dB"
    return solution.ceiling == nil ? text : text + ", limited"
  }
}
