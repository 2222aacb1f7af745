import SystemPackage
import TestSupport
import Testing

@testable import Receipts

@Suite("What analyses found, kept")
struct AnalysisMemoryTests {
  private let project = Project()

  private func memory() -> AnalysisMemory { AnalysisMemory(in: project.state) }

  private func digest(_ number: Int) -> String {
    LineStore.number(of: "\(number)".utf8).hexadecimal + String(repeating: "0", count: 48)
  }

  private func finding(_ number: Int) -> [UInt8] { Array("{\"loudness\":-\(number)}".utf8) }

  @Test("what was found is found again, by this run and by later ones")
  func again() throws {
    let one = memory()
    for number in 0..<100 {
      #expect(one.find(digest(number)) == nil)
      one.keep(digest(number), finding(number))
      #expect(one.find(digest(number)) == finding(number))
    }
    try one.save()
    let other = memory()
    for number in 0..<100 { #expect(other.find(digest(number)) == finding(number)) }
    #expect(other.find(digest(100)) == nil)
  }

  @Test("findings of several runs stand beside one another")
  func merging() throws {
    for number in 0..<3 {
      let one = memory()
      _ = one.find(digest(number))
      one.keep(digest(number), finding(number))
      try one.save()
    }
    for number in 0..<3 { #expect(memory().find(digest(number)) == finding(number)) }
  }

  @Test("a run that found nothing writes nothing")
  func nothing() throws {
    let one = memory()
    #expect(one.find(digest(1)) == nil)
    try one.save()
    #expect(!FilePath(project.folder.path(".avjob/analyses")).exists)
  }

  @Test("another digest with the same beginning is no answer")
  func collision() throws {
    let one = memory()
    _ = one.find(digest(1))
    one.keep(digest(1), finding(1))
    try one.save()
    #expect(memory().find(String(digest(1).dropLast()) + "1") == nil)
    #expect(memory().find("") == nil)
  }

  @Test("a damaged memory forgets, and never tells what was not found")
  func damage() throws {
    let one = memory()
    for number in 0..<20 {
      _ = one.find(digest(number))
      one.keep(digest(number), finding(number))
    }
    try one.save()
    let path = project.folder.path(".avjob/analyses")
    let bytes = try readFile(path)
    var dice = Dice(1)
    for _ in 0..<200 {
      var damaged = bytes
      for _ in 0..<dice.number(1..<6) {
        damaged[Int(dice.number(0..<Int64(bytes.count)))] = UInt8(dice.number(0..<256))
      }
      try writeFile(path, damaged)
      let kept = memory()
      for number in 0..<20 {
        let found = kept.find(digest(number))
        #expect(found == nil || found == finding(number))
      }
    }
  }
}
