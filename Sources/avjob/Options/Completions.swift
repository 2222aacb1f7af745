import ArgumentParser
import Diagnosis
import JobFile
import SystemPackage

extension CompletionKind {
  /// Job files, and folders.
  static var jobFiles: CompletionKind { .file(extensions: ["yaml", "yml"]) }

  /// The names of the jobs in the job files on the command line.
  static var jobNames: CompletionKind {
    .custom { words, _, _ in
      words.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.flatMap { path in
        let file = try? JobFile.loadAllowingMistakes(
          FilePath(path), options: JobFile.Options(), into: SourceMap(), files: LocalFileSystem())
        return file?.jobs.map(\.name) ?? []
      }
    }
  }
}

extension ArgumentHelp {
  /// The help of an option or an argument whose value has a name.
  static func value(_ name: String, _ text: String) -> ArgumentHelp {
    ArgumentHelp(text, valueName: name)
  }
}
