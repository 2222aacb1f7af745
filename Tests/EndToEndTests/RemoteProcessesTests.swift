import TestSupport
import Testing

/// Several processes that read one medium of a server at the same time.
@Suite("Media of servers, shared by processes") struct RemoteProcessesTests {
  @Test("four processes that cut random parts get the file's, and no byte comes twice")
  func parts() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -n -r 44100 -c 2 -b 16 a.wav synth 60 pinknoise gain -6; mkdir here there")
    let url = stage.url("rate=40000000", "a.wav")
    var dice = Dice(4)
    let processes = (0..<4).map { process in
      (0..<6).map { part in
        let start = dice.number(0..<55_000)
        let cut = "--from \(start)ms --to \(start + dice.number(100..<5000))ms"
        let name = "\(process)-\(part).wav"
        return (
          there: "avjob clip -q --allow-host $host '\(url)' \(cut) -o there/\(name)",
          here: "avjob clip -q a.wav \(cut) -o here/\(name)"
        )
      }
    }
    let together = processes.map { parts in
      "{ " + parts.map(\.there).joined(separator: " && ") + "; } & jobs+=($!)"
    }
    try stage.make(
      together.joined(separator: "\n") + "\nfor job in ${jobs[@]}; do wait $job; done\n"
        + processes.joined().map(\.here).joined(separator: "\n") + "\ndiff -r here there")
    let requests = try stage.requests()
    #expect(requests.bodyBytes <= 60 * 176_400 + 44, "\(requests.bodyBytes)")
    #expect(requests.bodyBytes > 60 * 176_400 / 2)
  }
}
