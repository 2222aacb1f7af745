import Diagnosis
import ExportGraph
import MediaComposition
import Tagging

extension BroadcastExtension.Loudness {
  /// A measurement in hundredths; what lies beyond the standard's ranges counts as not measured.
  fileprivate init(_ measured: LoudnessMeasurement) {
    func hundredths(_ value: Double?) -> Int16? {
      value.flatMap { Int16(exactly: ($0 * 100).rounded()) }
    }
    self.init(
      integrated: hundredths(measured.integrated), range: hundredths(measured.range),
      truePeak: hundredths(measured.truePeak), momentary: hundredths(measured.maximumMomentary),
      shortTerm: hundredths(measured.maximumShortTerm))
  }
}

extension OutputFile {
  /// Completes the `bext` of a whole WAV by what was measured in it: nothing moves, since its fields have
  /// their places.
  ///
  /// - Parameters:
  ///   - sink: What the file holds.
  ///   - measured: Its levels.
  /// - Throws: `reportBug` where the file has no such chunk; and the disk's error.
  func complete(_ sink: Sink, by measured: LoudnessMeasurement) throws(Failure) {
    let broadcast = sink.broadcast(
      by: "avjob \(Engine.version)", BroadcastExtension.Loudness(measured))
    guard let content = broadcast?.bytes() else { return }
    var walk = ChunkWalk(in: 12..<max(12, size), .riff)
    while let chunk = try walk.next(bytes(at:count:)) {
      guard chunk.name.elementsEqual("bext".utf8) else { continue }
      // The stored one may be longer, by what fills its coding history.
      guard content.count <= chunk.content.count else { break }
      try put(content, at: chunk.content.lowerBound)
      return try flush()
    }
    throw Failure(.reportBug, "has no place for its loudness", path: path)
  }
}
