import FoundationEssentials
import TestSupport
import Testing

@testable import Diagnosis

@Suite("Locations of the program's own sources") struct SourceLocationTests {
  @Test("what is written of a source is its name, and no process reads it back")
  func coding() throws {
    let location = MediaLocation.source(TestSource([1], name: "vault://a"))
    let written = try JSONEncoder().encode(["place": location])
    #expect(String(decoding: written, as: UTF8.self) == #"{"place":{"source":"vault:\/\/a"}}"#)
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([String: MediaLocation].self, from: written)
    }
    #expect("\(String(describing: error))".contains("'vault://a' is a source of another process"))
  }

  @Test("sources follow addresses and files, and are told apart by the object")
  func order() throws {
    let (one, other) = (TestSource([1], name: "a"), TestSource([1], name: "a"))
    let places: [MediaLocation] = [
      .source(one), .remote(try MediaURL("https://h/a")), .file("z"), .source(other),
    ]
    let sorted = places.sorted()
    #expect(sorted[0] == .file("z") && sorted[1].url != nil)
    #expect(sorted[2] != sorted[3] && Set(places).count == 4)
    #expect(Set(places + [.source(one)]).count == 4)
    #expect(MediaLocation.source(one).bytes == MediaLocation.source(other).bytes)
    #expect(MediaLocation.source(one).bytes != MediaLocation.file("a").bytes)
  }
}
