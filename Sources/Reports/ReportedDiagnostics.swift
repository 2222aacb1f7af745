import Diagnosis
import Synchronization
import Terminal

/// Reports what is wrong: on standard error, to programs that read standard output, and in the end to
/// reports. Safe from any thread.
package final class ReportedDiagnostics: Sendable {
  /// The places of everything that was read.
  package let map = SourceMap()
  /// Whether messages are repeated on standard output as GitHub's workflow commands.
  private let annotates: Bool
  /// Whether notes are left out.
  package let isQuiet: Bool
  private let interrupt: Interruption
  private let rephrase: Rephrasing
  private let isPrinting: Atomic<Bool>
  private let reported = Mutex<[Diagnostic]>([])

  /// Runs its argument, which prints, after it has erased what is drawn on the terminal; or does not
  /// run it.
  package typealias Interruption = @Sendable (() -> Void) -> Void

  /// Says a message in the words of the command. What it gives it leaves as it is.
  package typealias Rephrasing = @Sendable (Diagnostic) -> Diagnostic

  /// So many errors are printed at once, and so many warnings.
  private static let limit = 1000

  /// Nothing reported so far. Messages and notes are printed within `interrupt`, and none before
  /// `beginPrinting` if `isPrinting` is false. `rephrase` changes each before it is reported.
  package init(
    annotates: Bool = false, isQuiet: Bool = false, isPrinting: Bool = true,
    interrupting interrupt: @escaping Interruption = { $0() },
    rephrasing rephrase: @escaping Rephrasing = { $0 }
  ) {
    (self.annotates, self.isQuiet, self.interrupt) = (annotates, isQuiet, interrupt)
    self.rephrase = rephrase
    self.isPrinting = Atomic(isPrinting)
  }

  /// Prints messages and notes from now on.
  package func beginPrinting() { isPrinting.store(true, ordering: .releasing) }

  private func print(_ text: String) {
    guard isPrinting.load(ordering: .acquiring) else { return }
    interrupt { StandardStream.error.write(text + "\n") }
  }

  /// All that was reported, in that order.
  package var all: [Diagnostic] { reported.withLock { $0 } }

  /// Prints messages, annotates with them and keeps them for reports. A quiet command prints no notes.
  package func report(_ diagnostics: Diagnostics) {
    guard !diagnostics.isEmpty else { return }
    // What says the same is one message on the screen, so all of it is looked at there.
    let printed =
      isQuiet ? Diagnostics(diagnostics.all.filter { $0.severity != .note }) : diagnostics
    if !printed.isEmpty { print(text(of: printed)) }
    let diagnostics = diagnostics.bounded(to: Self.limit)
    keep(diagnostics)
    annotate(diagnostics)
  }

  /// Prints one line that reports no mistake, unless the command is quiet.
  package func note(_ text: String) {
    guard !isQuiet else { return }
    print("note: \(text)".printable)
  }

  /// Keeps messages for reports, and prints nothing.
  func keep(_ diagnostics: Diagnostics) {
    let rephrased = rephrased(diagnostics)
    reported.withLock { $0 += rephrased.all }
  }

  private func rephrased(_ diagnostics: Diagnostics) -> Diagnostics {
    Diagnostics(diagnostics.all.map(rephrase))
  }

  /// Repeats messages on standard output, where a program reads them.
  func annotate(_ diagnostics: Diagnostics) {
    guard annotates else { return }
    StandardStream.output.write(
      rephrased(diagnostics).githubCommands(in: map), verbatim: true)
  }

  /// As the terminal at standard error shows messages.
  package func text(of diagnostics: Diagnostics) -> String {
    rephrased(diagnostics).render(in: map, style: Self.style, limit: Self.limit)
  }

  private static var style: Diagnostic.Style {
    StandardStream.error.terminal?.isColored == true ? .colour : .plain
  }

  /// Prints why a command is refused, where no job file is the cause.
  package static func refuse(_ message: String, help: String? = nil) {
    let diagnostic = Diagnostic(message, at: .unknown, help: help)
    StandardStream.error.write(diagnostic.render(in: SourceMap(), style: style) + "\n")
  }
}
