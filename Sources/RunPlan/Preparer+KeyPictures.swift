import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import Threads

extension Preparer {
  /// Finds the key pictures that edges of ranges are moved to, all of a file at once, on all cores. Jobs are
  /// lowered to know the edges; where a cut is, is known when the range before it is, so cuts take another
  /// round, and parts that begin at silences are known when these are.
  func findKeyPictures(_ budget: CPUBudget) {
    var waiting = jobs.indices.filter { isStale($0) && jobs[$0].seeksKeyPictures }
    var asked: Set<KeyPictureSearch> = []
    while true {
      var next: [KeyPictureSearch] = []
      waiting = waiting.filter { index in
        let own = keyPictureSearches(of: index)
        next += own.filter { asked.insert($0).inserted }
        return !own.isEmpty
      }
      guard !next.isEmpty else { return }
      library.findKeyPictures(next, budget)
    }
  }

  /// What a job asks for and was not looked for before.
  private func keyPictureSearches(of index: Int) -> [KeyPictureSearch] {
    var found: [KeyPictureSearch] = []
    let library = library
    var segments = SegmentBudget()
    var ignored = Outcome()
    _ = try? jobs[index].exports(
      within: &segments, assets: { asset($0, readBy: index, &ignored) },
      listen: { search throws(Failure) in try library.knownSilences(search) },
      findKeyPicture: { search throws(Failure) in
        if let known = try library.knownKeyPicture(search) { return known }
        found.append(search)
        return nil
      }, readTranscript: KeptWords(library, awaiting: awaitedWriters(of: index)).read)
    return found
  }
}
