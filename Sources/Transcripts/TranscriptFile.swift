import Diagnosis
internal import Files
import MediaTime
import SystemPackage

extension Transcript {
  /// The transcript in the file at `path`, of any form that is known: WebVTT, SRT, the JSON of
  /// Podcasting 2.0, of Whisper, faster-whisper, WhisperX and whisper.cpp, a table with the columns
  /// `start`, `end` and `text`, or Audacity's labels. The form is recognised by the content.
  ///
  /// A cue that ends before it starts is read as one without a length, with a warning, and such a one
  /// lasts 1 ms.
  ///
  /// A file without a cue, as of a recording in which nothing is said, is an empty transcript, with a
  /// warning.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - speakerPrefix: Whether `Ann: Hello.` is a line of Ann's; else it is text.
  ///   - encoding: How it is coded; nil: as its byte-order mark says, else UTF-8, else Windows-1252
  ///     with a warning.
  ///   - warn: Gets what is odd and does not stop the reading.
  /// - Throws: A `Failure` of the machine where the file cannot be read, and of the input where it is no
  ///   transcript, with the first line that is wrong.
  /// - Complexity: O(n log n)
  @available(*, noasync, message: "it blocks its thread; await the initializer of the same name")
  public init(
    contentsOf path: FilePath, speakerPrefix: Bool = false, encoding: TextEncoding? = nil,
    warn: (Warning) -> Void = { _ in }
  ) throws(Failure) {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try PathCalls.contents(of: path, limit: Self.sizeLimit)
    } catch {
      throw Failure(.mendInput, "cannot be read: \(error)", path: path)
    }
    try self.init(
      decoding: bytes, named: path, speakerPrefix: speakerPrefix, encoding: encoding, warn: warn)
  }

  /// The transcript in `bytes`, the content of a file called `path`: as `init(contentsOf:)`.
  ///
  /// - Complexity: O(n log n)
  public init(
    decoding bytes: [UInt8], named path: FilePath, speakerPrefix: Bool = false,
    encoding: TextEncoding? = nil, warn: (Warning) -> Void = { _ in }
  ) throws(Failure) {
    let map = SourceMap()
    let (transcript, sink) = Self.read(
      bytes, path: path, named: .unknown, speakerPrefix: speakerPrefix, encoding: encoding, in: map)
    func line(_ diagnostic: Diagnostic) -> String {
      let place = map.place(of: diagnostic.origin)
      return (place.map { "line \($0.line), column \($0.column): " } ?? "") + diagnostic.message
        + (diagnostic.help.map { "; \($0)" } ?? "")
    }
    if let error = sink.diagnostics.errors.first {
      throw Failure(.mendInput, line(error), path: path)
    }
    for diagnostic in sink.diagnostics.warnings { warn(Warning(line(diagnostic), path: path)) }
    self = transcript
  }
}
