import ExportGraph
import MediaComposition
import Synchronization
import Threads

/// Sounds of several exports that get one gain, by which all of them together have a level.
///
/// Safe from any thread. Each sound is measured once, by one of the exports that need the group's level:
/// all that come to it take sounds that none of them has, until every one is measured.
package final class LoudnessGroup: Sendable {
  /// The exports that have the sounds; a process of its own makes the group from them again.
  package let exports: [Export]
  /// A graph of each sound, which is the graph's last node.
  let sounds: [Graph]
  /// The groups that sounds within these are in.
  let innerGroups: Set<String>
  private let state: Monitor<State>
  private let digested = Mutex<String?>(nil)

  private struct State {
    /// Numbers of sounds that nobody measures or has measured, the last one first.
    var open: [Int]
    var measured: [LoudnessMeasurement?]
    /// Of all together, if another process has measured them.
    var known: LoudnessMeasurement?

    var isMeasured: Bool { measured.allSatisfy { $0 != nil } }
    var all: LoudnessMeasurement? { .merged(measured.compactMap(\.self)) }
    /// The part of the sounds that are measured.
    var share: Double { Double(measured.count { $0 != nil }) / Double(max(1, measured.count)) }
  }

  /// The group called `name` of these exports.
  package init(_ name: String, of sessions: [ExportSession]) {
    exports = sessions.map(\.export)
    sounds = sessions.flatMap { session -> [Graph] in
      guard let graph = try? session.graph() else { return [] }
      return graph.sounds(ofGroup: name).map { graph.subgraph(of: $0) }
    }
    innerGroups = sounds.reduce(into: []) { $0.formUnion($1.groupNames) }
    state = Monitor(
      State(
        open: sounds.indices.reversed(), measured: Array(repeating: nil, count: sounds.count)))
  }

  /// The measurement of all sounds together, if they are measured, here or in another process. Setting it
  /// spares the measuring.
  package var known: LoudnessMeasurement? {
    get { state.withLock { $0.known ?? ($0.isMeasured ? $0.all : nil) } }
    set { state.withLock { $0.known = newValue } }
  }

  /// SHA-256 of everything that its gain depends on; sources count by their identities. O(nodes)
  ///
  /// - Throws: Where a sound has no canonical form.
  func digest() throws -> String {
    if let known = digested.withLock({ $0 }) { return known }
    let nodes = sounds.flatMap(\.nodes)
    let digest = try canonicalDigest(of: sounds.map(\.nodes), nodes.namingByIdentity)
    digested.withLock { $0 = digest }
    return digest
  }

  /// The measurement of all sounds together.
  ///
  /// - Throws: As rendering does, and `CancellationError`.
  /// - Complexity: O(frames of all sounds) the first time
  func measurement(
    by normalizer: Normalizer, dualMono: Bool, progress: (Double) -> Void
  ) throws -> LoudnessMeasurement? {
    if let known { return known }
    while true {
      while let index = state.withLock({ $0.open.popLast() }) {
        do {
          let found = try measure(sounds[index], by: normalizer, dualMono: dualMono)
          progress(
            state.withLock { state in
              state.measured[index] = found
              return state.share
            })
        } catch {
          // Another export, which is not cancelled, may come to it.
          state.withLock { $0.open.append(index) }
          throw error
        }
      }
      if isMeasuredByOthers(unless: normalizer.analyst.cancellation) {
        return state.withLock { $0.all }
      }
      guard !normalizer.analyst.cancellation.isCancelled else { throw CancellationError() }
    }
  }

  /// Waits until other exports have measured the last sounds; false where one of these is open again, or
  /// the work is cancelled.
  private func isMeasuredByOthers(unless cancellation: CancellationFlag) -> Bool {
    state.wait { state -> Monitor<State>.Answer<Bool> in
      if state.isMeasured { return .now(true) }
      if !state.open.isEmpty || cancellation.isCancelled { return .now(false) }
      return .later(by: .now + .milliseconds(20))
    }
  }

  private func measure(
    _ sound: Graph, by normalizer: Normalizer, dualMono: Bool
  ) throws -> LoudnessMeasurement {
    // Items within it may have levels of their own.
    var solved = Normalizer.Result(graph: sound)
    try normalizer.solve(&solved)
    return try normalizer.analyst.loudness(
      of: sound.nodes.count - 1, in: solved.graph, dualMono: dualMono)
  }
}
