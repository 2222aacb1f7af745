import SystemPackage

/// Why something was refused, sorted by what the user must do about it.
public struct Failure: Error, Sendable, Hashable, Codable {
  /// The user's reaction to a failure.
  public enum Remedy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The job file or the arguments are wrong.
    case mendJob
    /// A media file is missing, damaged, or not what it says it is.
    case mendInput
    /// The machine cannot: a full disk, no permission, a missing library.
    case mendMachine
    /// A later attempt may succeed without any change.
    case tryAgain
    /// avjob broke one of its own promises.
    case reportBug
  }

  /// What the user must do.
  public var remedy: Remedy
  /// One line: the fault and the remedy, without file and place, which stand beside it.
  public var message: String
  /// The medium, or any other file, that the failure is about.
  public var location: MediaLocation?
  /// Where the job that failed says so.
  package var origin: Origin
  /// See `code`; nil: the one for the remedy.
  let ownCode: Code?

  private enum CodingKeys: String, CodingKey {
    case remedy, message, location = "path", origin, ownCode = "code"
  }

  /// A failure of the medium at `location`. A `code` of nil is the one for the remedy.
  public init(_ remedy: Remedy, _ message: String, location: MediaLocation?, code: Code? = nil) {
    self.init(remedy, message, location: location, origin: .unknown, code: code)
  }

  /// A failure of the file at `path`, or of none. A `code` of nil is the one for the remedy.
  public init(_ remedy: Remedy, _ message: String, path: FilePath? = nil, code: Code? = nil) {
    self.init(remedy, message, path: path, origin: .unknown, code: code)
  }

  /// A failure with the place of its job, as the public one of a medium.
  package init(
    _ remedy: Remedy, _ message: String, location: MediaLocation?, origin: Origin,
    code: Code? = nil
  ) {
    self.remedy = remedy
    self.message = message
    self.location = location
    self.origin = origin
    ownCode = code
  }

  /// A failure with the place of its job, as the public one of a file.
  package init(
    _ remedy: Remedy, _ message: String, path: FilePath? = nil, origin: Origin,
    code: Code? = nil
  ) {
    self.init(
      remedy, message, location: path.map { .file($0) }, origin: origin, code: code)
  }

  /// The file that the failure is about; nil for an address.
  public var path: FilePath? { location?.file }

  /// The same failure, placed at `origin` if it has no place yet.
  package func placed(at origin: Origin) -> Failure {
    guard self.origin == .unknown else { return self }
    var copy = self
    copy.origin = origin
    return copy
  }
}

extension Failure: CustomStringConvertible {
  /// One line, for people: the message, after the file that it is about. "\(failure)" is the text
  /// to show; what its origin stands for is known to its author.
  public var description: String { line(location, message) }
}

/// A message to the user that does not stop the work.
public struct Warning: Sendable, Hashable, Codable {
  /// One line, without file and place.
  public var message: String
  /// The medium, or any other file, that the warning is about.
  public var location: MediaLocation?
  /// Where the job says what it is about.
  package var origin: Origin

  private enum CodingKeys: String, CodingKey { case message, location = "path", origin }

  /// A warning.
  package init(_ message: String, location: MediaLocation?, origin: Origin = .unknown) {
    self.message = message
    self.location = location
    self.origin = origin
  }

  /// A warning about the file at `path`, or about none.
  package init(_ message: String, path: FilePath? = nil, origin: Origin = .unknown) {
    self.init(message, location: path.map { .file($0) }, origin: origin)
  }
}

extension Warning {
  /// The file that the warning is about; nil for an address.
  public var path: FilePath? { location?.file }
}

extension Warning: CustomStringConvertible {
  /// One line, for people: the message, after the file that it is about.
  public var description: String { line(location, message) }
}

private func line(_ location: MediaLocation?, _ message: String) -> String {
  (location.map { "\($0): " } ?? "") + message
}
