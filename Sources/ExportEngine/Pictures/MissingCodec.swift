import Diagnosis
import LibAV

extension LibAVError {
  /// An output whose picture needs what this FFmpeg lacks, as that of the bundle does. Its sources are
  /// whole: whatever is read, the failure is about the output.
  ///
  /// - Parameters:
  ///   - codec: What is missing, such as `FFmpeg's libx264`.
  ///   - use: What for, such as `encode pictures around cuts`.
  ///   - wayRound: What the job may ask for instead.
  /// - Returns: The error, whose cause is `mendMachine`.
  static func missingCodec(_ codec: String, to use: String, or wayRound: String) -> LibAVError {
    let package = OptionalLibrary.codecs(version: Library.codecVersion).packageName
    let phrase =
      "needs \(codec) to \(use), and this FFmpeg lacks it; install \(package) and a package of avjob in "
      + "place of the bundle, or \(wayRound)"
    return .refusedPicture(phrase).blamed(on: Failure(.mendMachine, phrase, code: .libraryMissing))
  }
}

extension PictureScaler.Plan {
  /// A scaler.
  ///
  /// - Throws: What the filters refuse; where there are none, a failure of the output.
  func opened() throws(LibAVError) -> PictureScaler {
    try blamingFilters { () throws(LibAVError) in try PictureScaler.open(self) }
  }
}

extension Deinterlacer {
  /// One for pictures of a form.
  ///
  /// - Throws: What the filters refuse; where there are none, a failure of the output.
  static func opened(_ form: PictureForm) throws(LibAVError) -> Deinterlacer {
    try blamingFilters { () throws(LibAVError) in try open(form) }
  }
}

/// What `open` opens; where filters are missing, that is a failure of the output and not of the source.
private func blamingFilters<Opened>(
  _ open: () throws(LibAVError) -> Opened
) throws(LibAVError) -> Opened {
  do throws(LibAVError) {
    return try open()
  } catch {
    throw error.isMissingFilter ? error.blamed(on: error.missingFilterFailure) : error
  }
}
