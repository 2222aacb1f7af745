import ArgumentParser

@main
struct AVJob: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "avjob")
}
