import ArgumentParser
import Diagnosis
import Files
import Glibc
import JobFile
import Reports
import SystemPackage
import Terminal

/// `avjob init`
struct Init: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a job file to start from, with comments.",
    discussion: """
      Never replaces a file.

      avjob init podcast.yaml
      """)

  @Argument(help: "Write this file.", completion: .jobFiles)
  var file = "job.yaml"

  func run() throws {
    let path = FilePath(file)
    guard JobFile.isNamed(path), !file.endsWithScalars("/") else {
      let name = path.lastComponent == nil || file.endsWithScalars("/") ? "job.yaml" : nil
      throw refusal(
        "'\(file)' is no name of a job file",
        help: "write '\((name.map { path.appending($0) } ?? FilePath(file + ".yaml")))'")
    }
    do {
      let descriptor = try PathCalls.openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
      try descriptor.closeAfter {
        _ = try descriptor.writeAll(StarterJob.text(named: path.string).utf8)
      }
    } catch Errno.fileExists {
      throw refusal(
        "'\(file)' exists already",
        help: "name another file: \(command("init", other(than: path)))")
    } catch Errno.noSuchFileOrDirectory {
      throw refusal(
        "there is no folder '\(path.removingLastComponent())'",
        help: "make it first")
    } catch {
      throw refusal("'\(file)' cannot be written: \(error)")
    }
    StandardStream.output.write(
      "wrote '\(file.printable)': name your files in it, then run \(command("check", file))\n"
    )
  }

  /// A call as a message shows it: in quotes, unless a shell's own quotes are in it.
  private func command(_ name: String, _ path: String) -> String {
    let words = "avjob \(name) \(shellQuoted(path))".printable
    return words.containsScalars("'") ? words : "'\(words)'"
  }

  /// A name beside `path` that is free.
  private func other(than path: FilePath) -> String {
    for number in 2..<100 {
      let other = path.removingLastComponent().appending(
        "\(path.stem ?? "job")-\(number).\(path.extension ?? "yaml")")
      if !other.exists { return other.string }
    }
    return "another.yaml"
  }

  private func refusal(_ message: String, help: String? = nil) -> ExitCode {
    ReportedDiagnostics.refuse(message, help: help)
    return ExitCode.wrongJob
  }
}
