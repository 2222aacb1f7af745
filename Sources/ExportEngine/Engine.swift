import LibAV
import MediaComposition

/// What belongs to the whole process.
public enum Engine {
  /// Silences the libraries and makes sure that they are the ones that avjob was built for.
  ///
  /// To be called once, before anything else of the engine.
  /// - Throws: `Failure` (`mendMachine`) where other majors of FFmpeg's libraries are linked.
  public static func start() throws(Failure) {
    Library.silence()
    do throws(LibAVError) {
      try Library.checkVersions()
    } catch {
      throw Failure(
        .mendMachine,
        "FFmpeg \(Library.version) is not the one that avjob was built for; build avjob again")
    }
  }
}
