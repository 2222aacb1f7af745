import Files
import Glibc
import Synchronization

/// One of the streams that the process was started with.
package enum StandardStream: Int32 {
  case output = 1
  case error = 2

  /// The terminal at the other end, or nil where there is none that can redraw lines.
  ///
  /// `NO_COLOR` takes its colours away (no-color.org: where it is set and not empty).
  package var terminal: TerminalTraits? {
    let kind = environment("TERM")
    guard isatty(rawValue) == 1, !kind.isEmpty, kind != "dumb" else { return nil }
    var size = winsize()
    let isKnown = ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let isColored = environment("NO_COLOR").isEmpty
    let isUnicode = CharacterSet.ofLocale == .unicode
    return TerminalTraits(
      columns: isKnown ? Int(size.ws_col) : 80, rows: isKnown ? Int(size.ws_row) : 24,
      isColored: isColored, rewraps: rewraps(kind), isUnicode: isUnicode,
      pictures: isColored && isUnicode
        ? PictureProtocol.named(cell: cell(of: size), by: environment) : nil)
  }

  /// The pixels of a cell; nil where the terminal does not say.
  private func cell(of size: winsize) -> TerminalPicture.Cells? {
    guard size.ws_col > 0, size.ws_row > 0 else { return nil }
    let cell = TerminalPicture.Cells(
      columns: Int(size.ws_xpixel / size.ws_col), rows: Int(size.ws_ypixel / size.ws_row))
    return (4...64).contains(cell.columns) && (6...128).contains(cell.rows) ? cell : nil
  }

  /// Whether lines that are longer than a window has become are broken there, as most terminals do;
  /// the others cut them off: xterm itself, the console of Linux, GNU screen.
  private func rewraps(_ kind: String) -> Bool {
    // tmux does, and passes on what it was started in.
    guard environment("TMUX").isEmpty else { return true }
    return environment("XTERM_VERSION").isEmpty && environment("STY").isEmpty && kind != "linux"
  }

  /// Why something that was to go to standard output did not get there; nil where all did, or where
  /// the reader closed the pipe: it had enough.
  package static var lossOfOutput: String? {
    let code = firstError.load(ordering: .relaxed)
    return code == 0 ? nil : String(cString: strerror(code))
  }

  private static let firstError = Atomic<Int32>(0)

  private func noteLoss(_ code: Int32) {
    guard self == .output, code != EPIPE else { return }
    _ = Self.firstError.compareExchange(expected: 0, desired: code, ordering: .relaxed)
  }

  /// Writes all of `text`. Text that cannot be written is left out; `lossOfOutput` then has the cause,
  /// where results are lost.
  ///
  /// After `stopWaiting` it never blocks: text that is not taken now is written later.
  ///
  /// - Parameters:
  ///   - text: What is written.
  ///   - isVerbatim: Whether it is for a program. In any other text, no line is a command to the
  ///     runner of a CI.
  package func write(_ text: String, verbatim isVerbatim: Bool = false) {
    let text = isVerbatim ? text : text.withoutRunnerCommands
    let isWritten = Self.writers.withLock { writers in
      writers?.with(self) { $0.write(text) } != nil
    }
    if !isWritten { writeAll(text) }
  }

  /// Writes a document of JSON, in which `JSONValue` leaves nothing that would be a command.
  package func write(json text: String) { write(text, verbatim: true) }

  private func writeAll(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(rawValue, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return noteLoss(count < 0 ? errno : EIO) }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  /// All of standard input.
  package static func readInput() -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(0, &block, block.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
    }
  }

  private func environment(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }
}

// MARK: - Without waiting

extension StandardStream {
  /// Both streams of a process that waits for no reader.
  private struct Writers {
    private var output = StreamWriter(StandardStream.output.rawValue)
    /// Nil where it is the same terminal, or pipe: what is written to either keeps its order.
    private var error: StreamWriter?
    /// Whether results go to a terminal: one that was closed is none any more.
    private let isTerminal = isatty(StandardStream.output.rawValue) == 1

    init() {
      let output = try? FileStatus(of: StandardStream.output.rawValue)
      let error = try? FileStatus(of: StandardStream.error.rawValue)
      let isSame = if let output, let error { output.isSameFile(as: error) } else { false }
      self.error = isSame ? nil : StreamWriter(StandardStream.error.rawValue)
    }

    mutating func with<Result>(
      _ stream: StandardStream, _ body: (inout StreamWriter) -> Result
    ) -> Result {
      defer { noteLoss() }
      guard stream == .error, var error else { return body(&output) }
      defer { self.error = error }
      return body(&error)
    }

    /// A closed terminal is reported by SIGHUP, and its screen is no loss.
    private func noteLoss() {
      guard let code = output.failure, !isTerminal else { return }
      StandardStream.output.noteLoss(code)
    }

    var isIdle: Bool { output.isIdle && error?.isIdle ?? true }

    mutating func finish(by deadline: ContinuousClock.Instant) {
      with(.output) { $0.finish(by: deadline) }
      with(.error) { $0.finish(by: deadline) }
    }
  }

  private static let writers = Mutex<Writers?>(nil)
  /// The end of the process waits for a reader no longer than this.
  private static let lastPatience = Duration.seconds(1)

  /// From now on, writing to either stream does not block: text that a stopped terminal (Ctrl-S) or a full
  /// pipe does not take is written later, by `flush`, by the next text, or by `finish`, also at the end of
  /// the process. For commands that keep time.
  package static func stopWaiting() {
    writers.withLock { $0 = Writers() }
    atexit { StandardStream.finish() }
  }

  /// Waits until all is written, but a second at most; what was not taken then is left out.
  package static func finish() {
    writers.withLock { $0?.finish(by: .now + lastPatience) }
  }

  /// Writes what is taken now of what waits.
  ///
  /// - Returns: Whether all is written.
  package static func flush() -> Bool {
    writers.withLock { writers in
      for stream in [StandardStream.output, .error] { writers?.with(stream) { $0.flush() } }
      return writers?.isIdle ?? true
    }
  }

  /// Whether all was written, and it takes more now.
  package var hasRoom: Bool { Self.writers.withLock { $0?.with(self) { $0.hasRoom() } ?? true } }
}
