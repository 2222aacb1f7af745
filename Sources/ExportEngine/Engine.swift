import Diagnosis
import LAME
import LibAV
import MediaComposition

/// What belongs to the whole process.
public enum Engine {
  /// Of avjob, as `0.1.0` (semver.org).
  public static let version = "0.1.0"

  /// Which sound avjob makes of a graph: raised by one with each change of the code by which any output
  /// gets other bytes, so that what was made before is made again (`docs/receipts.md`). `SoundTests`
  /// fail where it was forgotten for mixing and encoding; readers and filters they do not hold.
  public static let soundRevision = 2

  /// Of avjob and of the libraries that it is linked with, by name, always in this order.
  public static var versions: [(name: String, version: String)] {
    [("avjob", version), ("ffmpeg", Library.version), ("lame", LAMELibrary.version)]
  }

  /// Silences the libraries and makes sure that they are the ones that avjob was built for.
  ///
  /// The first ``MediaLibrary`` sees to it; a program that wants to know before may call it, too.
  /// What it finds is found once, and the same at each call, from any thread.
  /// - Throws: `Failure` (`mendMachine`) where other majors of FFmpeg's libraries are linked.
  public static func start() throws(Failure) { try started.get() }

  private static let started: Result<Void, Failure> = {
    Library.silence()
    do throws(LibAVError) {
      try Library.checkVersions()
      return .success(())
    } catch {
      return .failure(
        Failure(
          .mendMachine,
          "FFmpeg \(Library.version) is not the one that avjob was built for; build avjob again"))
    }
  }()
}
