import Diagnosis
import ExportGraph
import Glibc
import MediaComposition
import Tagging

extension ExportSession {
  /// Puts gains into the tags of files that are whole but for them.
  ///
  /// - Parameters:
  ///   - rendering: Has the files, which are measured, and gets a warning for each gain that is missing.
  ///   - solved: Loses gains that have no level: their sound is silent, or too soft to be measured.
  ///   - normalizer: Measures albums.
  /// - Returns: Whether there were none of these; else nothing is put anywhere, and the files are to be
  ///   made again without a place for them.
  /// - Throws: As rendering does, and `CancellationError`.
  /// - Complexity: O(frames of the albums' sounds) the first time
  func putGains(
    into rendering: inout Rendering, of solved: inout Normalizer.Result, by normalizer: Normalizer
  ) throws -> Bool {
    let levels = try gainLevels(of: rendering, by: normalizer)
    guard !solved.graph.dropGains(besides: levels) else { return false }
    for (index, sink) in rendering.graph.sinks.enumerated() where !sink.gains.isEmpty {
      try rendering.writers[index].put(levels[index], of: sink)
    }
    rendering.warnings += try missingGains(in: rendering)
    return true
  }

  /// The levels that gains in the tags of each output follow from: of a track those of its encoded file,
  /// and of an album those of all its sounds as they are before they are encoded. A gain that has none is
  /// missing: its sound is silent, or too soft to be measured.
  private func gainLevels(
    of rendering: Rendering, by normalizer: Normalizer
  ) throws -> [[LevelTag.Scope: LevelTag.Level]] {
    try rendering.graph.sinks.enumerated().map { index, sink in
      var levels: [LevelTag.Scope: LevelTag.Level] = [:]
      for scope in sink.gains {
        let measured: LoudnessMeasurement?
        switch scope {
        case .track: measured = rendering.levels[index]
        case .album:
          guard let name = sink.album?.group else { continue }
          let group = groups[name] ?? LoudnessGroup(name, of: [self])
          measured = try group.measurement(by: normalizer, dualMono: false) { _ in }
        }
        guard let loudness = measured?.integrated, let peak = measured?.truePeak else { continue }
        levels[scope] = LevelTag.Level(loudness: loudness, peak: pow(10, peak / 20))
      }
      return levels
    }
  }

  /// Warnings of outputs that do not have all gains that they were to have.
  private func missingGains(in rendering: Rendering) throws(Failure) -> [Warning] {
    zip(try graph().sinks, rendering.graph.sinks).compactMap { wanted, sink in
      let missing = wanted.gains.filter { !sink.gains.contains($0) }
      guard !missing.isEmpty else { return nil }
      let names = missing.map { "the \($0.rawValue)" }.joined(separator: " and ")
      return Warning(
        "nothing is above −70 LUFS, so that \(names) \(missing.count > 1 ? "have" : "has") no gain in "
          + "its tags", path: sink.output.path, origin: sink.output.origin)
    }
  }
}

extension Graph {
  /// Takes the gains out of tags that have no level.
  ///
  /// - Returns: Whether there are any.
  fileprivate mutating func dropGains(besides levels: [[LevelTag.Scope: LevelTag.Level]]) -> Bool {
    var isChanged = false
    for index in sinks.indices {
      let known = sinks[index].gains.filter { levels[index][$0] != nil }
      isChanged = isChanged || known != sinks[index].gains
      sinks[index].gains = known
    }
    return isChanged
  }
}
