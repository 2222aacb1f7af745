import Diagnosis
import ExportEngine
import Testing

@Suite struct MediaNetworkTests {
  @Test(
    "a host that is none is quoted without user, password and query",
    arguments: [
      ("ann:secret@nas.local", "nas.local: a host has no user"),
      ("ann:s@cret@nas.local", "nas.local: a host has no user"),
      ("ann:secret@\u{301}nas.local", "\u{301}nas.local: a host has no user"),
      ("ann:secret\u{D4E}@nas.local", "nas.local: a host has no user"),
      ("https://ann:secret@h/x?t=secret", "https://h/x?…: this is a URL or a path, not a host"),
      ("nas.local/x", "nas.local/x: this is a URL or a path, not a host"),
    ])
  func hosts(_ text: String, _ fault: String) {
    let failure = #expect(throws: Failure.self) { try MediaNetwork.check(allowedHosts: [text]) }
    #expect(
      failure?.message
        == "--allow-host \(fault); write HOST or HOST:PORT, such as media.example.com")
  }
}
