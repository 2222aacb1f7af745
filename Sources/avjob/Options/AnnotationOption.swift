import ArgumentParser

/// `--annotate`, which every command takes that reads job files.
struct AnnotationOption: ParsableArguments {
  /// Who reads standard output for messages.
  enum Reader: String, ExpressibleByArgument, CaseIterable {
    case github
  }

  @Option(help: .value("program", "Repeat messages on standard output for a program."))
  var annotate: Reader?
}
