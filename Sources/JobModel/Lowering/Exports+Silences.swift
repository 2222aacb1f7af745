import Diagnosis
import MediaComposition
import MediaTime

extension Job {
  /// Finds the silences that outputs list, in the whole that this job makes, as its mix has it. Outputs of
  /// one level and length share a search.
  ///
  /// - Parameters:
  ///   - whole: Its outputs with lists get what is found.
  ///   - listen: As of `exports`.
  /// - Throws: What is wrong; nothing where the sound cannot be analysed now.
  /// - Complexity: O(silences) for each output, besides the searches
  func addSilences(to whole: inout Whole, _ listen: @escaping Listen) throws(Diagnostics) {
    var lowering = Lowering(assets: [:], sampleRate: sampleRate, listen: listen)
    var known: [SilenceSearch: [TimeRange]] = [:]
    for index in whole.export.outputs.indices {
      guard let places = whole.export.outputs[index].silences, !places.sidecars.isEmpty else {
        continue
      }
      let search = SilenceSearch(
        in: whole.export.composition, mix: whole.export.mix, below: places.threshold,
        lasting: places.least)
      if known[search] == nil {
        let found = lowering.silences(search, at: places.origin)?.silences ?? []
        // Those at both ends are found at any length.
        known[search] = found.filter { $0.duration >= places.least }
      }
      let found = known[search] ?? []
      if found.count > TimeList.countLimit {
        lowering.error(
          "more than 100,000 silences", at: places.origin, help: "list longer ones")
      }
      whole.export.outputs[index].silences?.found = found
    }
    guard lowering.diagnostics.isEmpty else { throw lowering.diagnostics }
  }
}
