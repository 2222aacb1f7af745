import Testing
import Threads

@Suite("The words of a command line")
struct ProcessArgumentsTests {
  @Test("found where the kernel has put them, they are those that Swift finds by /proc")
  func words() {
    #expect(ProcessArguments.words == CommandLine.arguments)
    #expect(ProcessArguments.words.first?.hasSuffix(ProcessArguments.programName) == true)
    #expect(
      ProcessArguments.bytes.map { String(decoding: $0, as: UTF8.self) } == ProcessArguments.words)
  }
}
