import SystemPackage
import Testing

@testable import LiveScreens

@Suite("PreviewTracks") struct PreviewTracksTests {
  @Test("a path becomes an address, with escapes for what a URI has no letter for")
  func addresses() {
    #expect(FilePath("/a/b-c_d~e.mp3").uri == "file:///a/b-c_d~e.mp3")
    #expect(FilePath("/a b/ä?#%.mp3").uri == "file:///a%20b/%C3%A4%3F%23%25.mp3")
    #expect(FilePath("/a/../b\n").uri == "file:///b%0A")
    #expect(FilePath("x.mp3").uri.hasPrefix("file:///"))
    #expect(FilePath("x.mp3").uri.hasSuffix("/x.mp3"))
  }
}
