import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import Threads

extension Preparer {
  /// Listens to the sounds whose silences jobs ask for, on all cores. Jobs are lowered to know them;
  /// what an item becomes is known when the items in it are, so nested ones take another round.
  func listen(_ budget: CPUBudget) {
    var waiting = jobs.indices.filter { isStale($0) && jobs[$0].listens }
    var asked: Set<SilenceSearch> = []
    while true {
      var next: [SilenceSearch] = []
      waiting = waiting.filter { index in
        let own = searches(of: index)
        next += own.filter { asked.insert($0).inserted }
        return !own.isEmpty
      }
      guard !next.isEmpty else { return }
      library.listen(to: next, budget)
    }
  }

  /// What a job asks for and was not analysed before.
  private func searches(of index: Int) -> [SilenceSearch] {
    var found: [SilenceSearch] = []
    let library = library
    var segments = SegmentBudget()
    var ignored = Outcome()
    _ = try? jobs[index].exports(
      within: &segments, assets: { asset($0, readBy: index, &ignored) },
      listen: { search throws(Failure) in
        guard !search.isPredicted else { return nil }
        if let known = try library.knownSilences(search) { return known }
        found.append(search)
        return nil
      }, findKeyPicture: { search throws(Failure) in try library.keyPicture(search) },
      readTranscript: KeptWords(library, awaiting: awaitedWriters(of: index)).read)
    return found
  }

  /// Listens for job number `index`.
  func listener(of index: Int) -> Job.Listen {
    let library = library
    let writers = awaitedWriters(of: index)
    return { search throws(Failure) in
      guard let awaited = search.composition.assets.first(where: \.isPredicted) else {
        return try library.silences(search)
      }
      let writer = writers[awaited.location].map { "'\($0)'" } ?? "another job"
      throw Failure(
        .mendJob,
        "cannot be analysed yet: \(writer) writes it in this run; trim or split it, or list its "
          + "silences, there, or move this job to a file of its own, which you run later",
        location: awaited.location)
    }
  }
}

extension SilenceSearch {
  /// Whether any of the sound is still to be written.
  fileprivate var isPredicted: Bool { composition.assets.contains(where: \.isPredicted) }
}
