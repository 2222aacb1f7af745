import ArgumentParser
import MediaTime

/// The options of `avjob record` for a take to the mix of a job.
struct TakeOptions: ParsableArguments {
  @Option(
    help: .value("file", "Record a take to the mix of this job file, and put it in."),
    completion: .jobFiles)
  var into: String?

  @Option(help: .value("name", "Put the take on this track; a new one is added."))
  var track: String?

  @Option(help: .value("time", "Begin the take at this time of the mix: 1:23, end-5s."))
  var at: String?

  @Option(help: .value("time", "End the take at this time of the mix."))
  var until: String?

  @Option(help: .value("name", "Choose this job of the job file."), completion: .jobNames)
  var job: String?

  func validate() throws {
    guard into != nil else {
      for (name, value) in [
        ("--track", track), ("--at", at), ("--until", until), ("--job", job),
      ] where value != nil {
        throw ValidationError("\(name) is for a take; name its job file with --into")
      }
      return
    }
    guard let track, !track.isEmpty else {
      throw ValidationError("--into needs a track: --track voice")
    }
    guard at != nil else { throw ValidationError("--into needs a place: --at 1:23") }
  }
}
