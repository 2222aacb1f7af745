import TestSupport
import Testing

/// Several processes that read one medium of a server at the same time.
@Suite("Media of servers, shared by processes") struct RemoteProcessesTests {
  @Test("four processes that cut 500 random parts get the file's, and no byte comes twice")
  func parts() throws {
    let stage = try RemoteStage(servingItself: true)
    let (seconds, bytesPerSecond) = (60, 176_400)
    try stage.make("sox -n -r 44100 -c 2 -b 16 a.wav synth \(seconds) pinknoise gain -6")
    try stage.stage.write(
      "job.yaml",
      """
      vars: { file: a.wav, out: here, process: "" }
      rows: cuts${process}.csv
      clip: "${file} ${from}..${to}"
      output: "${out}/${process}-${n}.wav"
      """)
    var dice = Dice(4)
    for process in 0..<4 {
      let cuts = (0..<125).map { _ in
        let start = dice.number(0..<59_000)
        return "\(start)ms,\(start + dice.number(20..<1000))ms\n"
      }
      try stage.stage.write("cuts\(process).csv", "from,to\n" + cuts.joined())
    }
    let url = stage.url("rate=40000000", "a.wav")
    try stage.make(
      """
      for i in 0 1 2 3; do
        avjob run -q --allow-host $host job.yaml --set process=$i --set out=there \\
          --set file='\(url)' & jobs+=($!)
      done
      for job in ${jobs[@]}; do wait $job; done
      for i in 0 1 2 3; do avjob run -q job.yaml --set process=$i; done
      test $(ls there | wc -l) = 500
      diff -r here there
      """)
    let requests = try stage.requests()
    #expect(requests.bodyBytes <= seconds * bytesPerSecond + 44, "\(requests.bodyBytes)")
    #expect(requests.bodyBytes > seconds * bytesPerSecond / 2)
  }
}
