extension Failure {
  /// What happened, under a name that stays the same from version to version, for programs that
  /// react to it (`AVError.Code`).
  ///
  /// More codes will come, so that this is no enum: a `switch` over codes needs a `default`. A code
  /// can be a pattern of a `catch` clause: `catch Failure.Code.outputExists`.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable {
    /// A domain and a fault, such as `media.notFound`.
    public let rawValue: String

    /// The code of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ name: String) { rawValue = name }

    // MARK: What was asked for

    /// The task was cancelled, or the work that it waited for (`CancellationError`).
    public static let cancelled = Code("cancelled")
    /// A composition, an export or a job is wrong: every `mendJob` without another code.
    public static let jobInvalid = Code("job.invalid")
    /// `--root` does not allow the path.
    public static let pathNotAllowed = Code("path.notAllowed")

    // MARK: Media

    /// No file is at the path.
    public static let mediaNotFound = Code("media.notFound")
    /// The file may not be read.
    public static let mediaNotReadable = Code("media.notReadable")
    /// The file is empty.
    public static let mediaEmpty = Code("media.empty")
    /// No known format, or one without sound.
    public static let mediaUnsupported = Code("media.unsupported")
    /// The file has no such stream of sound.
    public static let mediaStreamNotFound = Code("media.streamNotFound")
    /// Another file is at its place than when it was probed; another attempt probes it anew.
    public static let mediaChanged = Code("media.changed")
    /// Damaged, or not what it says it is: every `mendInput` without another code.
    public static let mediaInvalid = Code("media.invalid")

    // MARK: Servers

    /// Bytes are not in the cache, and no server may be asked (`MediaNetwork.Options.isOffline`).
    public static let networkOffline = Code("network.offline")
    /// The server, or the proxy, cannot be connected to, or the connection broke.
    public static let networkUnreachable = Code("network.unreachable")
    /// The server did not answer, or stopped sending.
    public static let networkTimedOut = Code("network.timedOut")
    /// The server has no such file: 404, 410.
    public static let networkNotFound = Code("network.notFound")
    /// The server or the proxy needs another user or password: 401, 403, 407.
    public static let networkUnauthorized = Code("network.unauthorized")
    /// The options do not allow to ask this server.
    public static let networkNotAllowed = Code("network.notAllowed")
    /// The server's certificate is not trusted, or the connection is not encrypted as it must be.
    public static let networkUntrusted = Code("network.untrusted")
    /// The server refuses, or has a fault: any other status.
    public static let networkRefused = Code("network.refused")
    /// The server's answer is malformed, or not what was asked for.
    public static let networkAnswerInvalid = Code("network.answerInvalid")

    // MARK: Outputs

    /// A file is at the path that must not be replaced.
    public static let outputExists = Code("output.exists")
    /// Two outputs have one file, or an output has that of a source.
    public static let outputConflict = Code("output.conflict")
    /// The format, the preset or the extension does not write this.
    public static let outputUnsupported = Code("output.unsupported")
    /// The file or its folder may not be written.
    public static let outputNotWritable = Code("output.notWritable")

    // MARK: The machine

    /// The disk, or the quota, is full.
    public static let diskFull = Code("machine.diskFull")
    /// Not enough memory.
    public static let outOfMemory = Code("machine.outOfMemory")
    /// Too many open files.
    public static let tooManyFiles = Code("machine.tooManyFiles")
    /// The system has no thread to give.
    public static let outOfThreads = Code("machine.outOfThreads")
    /// A library is missing, or is another version than avjob was built for.
    public static let libraryMissing = Code("machine.libraryMissing")
    /// The machine cannot: every `mendMachine` without another code.
    public static let machineUnfit = Code("machine.unfit")

    // MARK: Others

    /// A later attempt may succeed: every `tryAgain` without another code.
    public static let temporary = Code("temporary")
    /// avjob broke one of its own promises: every `reportBug`.
    public static let bug = Code("bug")

    /// That of a failure without one of its own.
    init(of remedy: Remedy) {
      self =
        switch remedy {
        case .mendJob: .jobInvalid
        case .mendInput: .mediaInvalid
        case .mendMachine: .machineUnfit
        case .tryAgain: .temporary
        case .reportBug: .bug
        }
    }

    /// Whether an error is a failure of this code: for patterns of `catch` clauses.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? Failure)?.code == code
    }
  }

  /// What happened: the code that it was made with, else the one for its remedy.
  public var code: Code { ownCode ?? Code(of: remedy) }

  /// The failure of work that needs a thread, which the system has not.
  ///
  /// - Parameters:
  ///   - error: Why there is none.
  ///   - work: What therefore cannot be, as a clause: "playback cannot start".
  ///   - location: What the work is about.
  /// - Returns: A failure of the code `outOfThreads`.
  package static func outOfThreads(
    _ error: some Error, _ work: String? = nil, at location: MediaLocation? = nil
  ) -> Failure {
    Failure(
      .tryAgain, (work.map { $0 + ": " } ?? "") + "\(error)", location: location,
      code: .outOfThreads)
  }

  /// The failure of work that was ended before it was done.
  package static let cancelled = cancelled(at: nil)

  /// The failure of work on a medium or a file that was ended before it was done.
  package static func cancelled(at location: MediaLocation?) -> Failure {
    Failure(
      .tryAgain, "was cancelled before it was done; start it again", location: location,
      code: .cancelled)
  }
}

extension Failure.Code: CustomStringConvertible {
  /// Its name.
  public var description: String { rawValue }
}
