import MediaComposition
import Testing

@testable import avjob

@Suite("Options of outputs") struct OutputOptionsTests {
  @Test(
    "each format has an option, which names it",
    arguments: Output.Kind.allCases.filter { $0 != .raw })
  func formats(kind: Output.Kind) throws {
    let options = try OutputOptions.parse(["--output", "out", "--\(kind.rawValue)", "x"])
    #expect(options.namesFormat)
    #expect(options.settings.contains { $0.key == kind.rawValue && $0.value == "x" })
  }

  @Test("an option that holds for several formats names none")
  func others() throws {
    let options = try OutputOptions.parse(["--output", "out", "--join", "exact"])
    #expect(!options.namesFormat)
  }
}
