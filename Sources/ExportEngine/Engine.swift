import Diagnosis
import LAME
import LibAV
import MediaComposition

/// Facts and set-up of the whole process.
package enum Engine {
  /// Of avjob, as `0.1.0` (semver.org).
  package static let version = "0.1.0"

  /// The revision of avjob's sound: raised by one with each change of the code that changes an
  /// output's bytes, so that older outputs are made again (`docs/receipts.md`). `SoundRevisionTests`
  /// fail where it was forgotten for mixing and encoding, but do not cover readers and filters.
  package static let soundRevision = 13

  /// avjob and its linked libraries, with their licences, always in this order.
  package static var parts: [(name: String, version: String, license: String)] {
    [
      ("avjob", version, "Apache License 2.0"),
      ("ffmpeg", Library.version, Library.license),
      ("lame", LAMELibrary.version, "LGPL version 2 or later"),
    ]
  }

  /// The versions of `parts`, in their order.
  package static var versions: [(name: String, version: String)] {
    parts.map { ($0.name, $0.version) }
  }

  /// Silences the libraries, and checks that avjob was built for their versions. The first
  /// ``MediaLibrary`` calls it; a program may call it earlier. It runs once, and has the same
  /// result at each call, from any thread.
  ///
  /// - Throws: `Failure` (`mendMachine`) where other majors of FFmpeg's libraries are linked.
  package static func start() throws(Failure) { try started.get() }

  private static let started: Result<Void, Failure> = {
    Library.silence()
    do throws(LibAVError) {
      try Library.checkVersions()
      return .success(())
    } catch {
      return .failure(
        Failure(
          .mendMachine,
          "FFmpeg \(Library.version) is not the one that avjob was built for; build avjob again",
          code: .libraryMissing))
    }
  }()
}
