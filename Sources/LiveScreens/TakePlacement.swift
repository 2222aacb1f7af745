import Diagnosis
import ExportEngine
import Files
import Glibc
import JobFile
import JobModel
import MediaComposition
import MediaTime
import SystemPackage

/// Puts a recorded take on a track of a job file: checked before anything is recorded, and written
/// into the file as it is then.
package struct TakePlacement: Sendable {
  /// The places of what is read.
  private let map: SourceMap
  private let library: MediaLibrary
  private let files: LocalFileSystem
  /// The job file.
  package let path: FilePath
  /// Its variables.
  private let options: JobFile.Options
  private let job: String
  package let track: String
  package let time: Time
  /// The file of the take.
  package let take: FilePath

  /// A place for a take; without a file of its own the take goes into one beside the job file that
  /// nothing has.
  package init(
    of take: FilePath?, in path: FilePath, _ options: JobFile.Options, job: String, track: String,
    at time: Time, library: MediaLibrary, files: LocalFileSystem, map: SourceMap
  ) {
    self.take = take ?? Self.freePath(beside: path, track: track)
    (self.path, self.options, self.job, self.track) = (path, options, job, track)
    (self.time, self.library, self.files, self.map) = (time, library, files, map)
  }

  /// What a check needs to know of a take.
  package enum Take {
    /// It is to be recorded, and lasts this long; nil: until somebody ends it.
    case planned(Time?)
    case recorded
  }

  /// Job files are small; larger ones are refused before.
  private static let sizeLimit = 8 << 20
  /// Attempts to write a file that other programs write as well.
  private static let attempts = 5

  /// The job file with the take, checked as `avjob check` does.
  ///
  /// - Throws: What is wrong: a file that cannot be edited so, a track that sounds there already, or
  ///   mistakes that the file has.
  package func edited(_ bytes: [UInt8], with kind: Take) throws(Diagnostics) -> [UInt8] {
    let before = try load(bytes)
    let edited = try edit.applied(to: bytes, of: before, in: map)
    let after = try job(of: load(edited.bytes))
    try requireTake(in: after)
    do throws(Diagnostics) {
      _ = try after.exports { asset(of: $0, kind) }
    } catch {
      // Without an error, some medium cannot be read, and times are not checked.
      guard var found = error.errors.first else { return edited.bytes }
      if found.message.hasPrefix("items overlap") {
        found.help =
          "record to another track, such as --track \(track)-2: a list takes only what comes behind it"
      }
      throw Diagnostics(found)
    }
    return edited.bytes
  }

  /// Writes the take into the job file.
  ///
  /// - Returns: Whether the file had changed since `planned` was read.
  /// - Throws: As `edited`, at its places in the file; the system's error as a diagnostic.
  package func write(planned: [UInt8]) throws(Diagnostics) -> Bool {
    var failure: Failure?
    var mistakes: Diagnostics?
    for _ in 0..<Self.attempts {
      do throws(Failure) {
        // What was at the path when this was made is what is replaced.
        let output = try OutputFile.create(at: path)
        let bytes = try contents()
        let edited: [UInt8]
        do throws(Diagnostics) {
          edited = try self.edited(bytes, with: .recorded)
        } catch {
          output.discard()
          mistakes = error
          break
        }
        try output.put(edited, at: 0)
        try output.flush()
        try output.commit(replacing: .found)
        return bytes != planned
      } catch {
        failure = error
        // Another program has written it meanwhile: it is read again.
        guard error.remedy == .tryAgain || error == .madeMeanwhile(path) else {
          throw Diagnostics(Diagnostic(error, at: .unknown))
        }
      }
    }
    if let mistakes { throw mistakes }
    throw Diagnostics(
      failure.map { Diagnostic($0, at: .unknown) }
        ?? Diagnostic("'\(path)' was not written", at: .unknown))
  }

  /// The bytes of the job file.
  package func contents() throws(Failure) -> [UInt8] {
    do {
      return try LocalFileSystem().contents(of: path, limit: Self.sizeLimit).bytes
    } catch {
      throw Failure(.mendMachine, "cannot be read: \(error)", path: path)
    }
  }

  /// The line that puts the take into its track by hand.
  package var line: String { "- " + edit.item }

  // MARK: Parts

  private var edit: TakeEdit {
    TakeEdit(clip: clip, onTrack: track, of: job, at: time)
  }

  /// The path as the job file names it.
  private var clip: String {
    let folder = path.removingLastComponent()
    let relative = take.relative(to: folder.isEmpty ? "." : folder, in: files.currentDirectory)
    // A word without a slash might be a name under 'sources'.
    return relative.components.count == 1 ? "./\(relative.string)" : relative.string
  }

  private func load(_ bytes: [UInt8]) throws(Diagnostics) -> JobFile {
    let file = try JobFile.loadAllowingMistakes(
      path, options: options, into: map, files: EditedFiles(files, at: path, bytes))
    if file.hasMistakes { throw file.mistakes }
    _ = try job(of: file)
    return file
  }

  private func job(of file: JobFile) throws(Diagnostics) -> Job {
    guard let job = file.jobs.first(where: { $0.name == job }) else {
      throw Diagnostics(
        Diagnostic(
          "'\(path)' has no job '\(job)' any more", at: .unknown,
          help: "write the take into it by hand"))
    }
    return job
  }

  /// Refuses a path that the job language reads as something else, such as a pattern.
  private func requireTake(in job: Job) throws(Diagnostics) {
    guard case .tracks(let tracks) = job.item.content,
      let sequence = tracks.first(where: { $0.name == track })?.sequence
    else { return }
    var last = sequence.items.last
    if sequence.items.count == 1, case .concat(let list)? = last?.content { last = list.items.last }
    if let last, case .clip(let medium) = last.content, isTake(medium) { return }
    throw Diagnostics(
      Diagnostic(
        "the path '\(take)' is not read as a clip", at: job.origin,
        help: "record to a file whose name has letters and digits only"))
  }

  private func isTake(_ medium: MediaReference) -> Bool {
    guard case .file(let location) = medium.location else { return false }
    let folder = files.currentDirectory
    return location.normalized(in: folder) == take.normalized(in: folder)
  }

  private func asset(of reference: MediaReference, _ kind: Take) -> Asset? {
    guard case .planned(let length) = kind, isTake(reference) else {
      return try? library.asset(
        at: reference.location, streamIndex: reference.stream, raw: reference.raw)
    }
    let seconds = length ?? Time(value: 1, timescale: 1)
    return Asset(
      location: reference.location, streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: 48_000, channelLayout: .mono,
      frameCount: max(1, seconds.frames(atRate: 48_000)), identity: .predicted)
  }

  // MARK: Names

  /// A file beside the job file that no file has: `takes/voice-001.wav`.
  private static func freePath(beside path: FilePath, track: String) -> FilePath {
    let letters = track.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : "_" }
    let folder = path.removingLastComponent().appending("takes")
    var number = 1
    while true {
      let name = "\(String(letters))-\(paddedDigits(number, count: 3)).wav"
      let found = folder.appending(name)
      if !found.exists { return found }
      number += 1
    }
  }
}
