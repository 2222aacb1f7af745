import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Tables, and the jobs that their rows become.
@Suite struct TableTests {
  @Test("Windows-1252 is read with a warning")
  func encodings() {
    var bench = Bench()
    bench.bytes["t.csv"] = Array("id,name\n1,M".utf8) + [0xFC] + Array("ller\n".utf8)
    expect(
      bench.screen("rows: t.csv\nclip: a.wav\nmetadata: { title: \"${name}\" }\noutput: ${id}.mp3"),
      """
      t.csv:2:4: warning: the table is not UTF-8 and is read as Windows-1252, the Latin-1 of old files
          2 | 1,Müller
            |    ^
        help: save it as UTF-8 if letters come out wrong
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      """)
  }

  @Test("One job a row: columns are variables, and 'n' and 'count'")
  func rows() throws {
    var bench = Bench()
    bench.texts["t.csv"] = "file,Lesson No,note\na,1,x\nb,2,\n"
    let jobs = try bench.load(
      """
      vars: { note: global }
      rows: t.csv
      clip: ${file}.wav
      metadata: { title: "${note:-none}", track: "${n}/${count}", comment: "<${note}>" }
      output: out/${file}.mp3
      """
    ).jobs
    #expect(jobs.map(\.name) == ["a", "b"])
    #expect(jobs.map { $0.media.map(\.location.file) } == [["a.wav"], ["b.wav"]])
    #expect(jobs.map { $0.metadata["title"] } == ["x", "none"])
    #expect(jobs.map { $0.metadata["comment"] } == ["<x>", "<>"])
    #expect(jobs.map { $0.metadata["track"] } == ["1/2", "2/2"])
  }

  @Test("A row of empty cells is a job with its defaults, and an empty line is none")
  func emptyRow() throws {
    for empty in ["\"\"", ","] {
      var bench = Bench()
      bench.texts["t.csv"] = "ad\nx\n\(empty)\n\ny\n"
      let jobs = try bench.load(
        "rows: t.csv\nclip: a.wav\noutput: \"${n}-${ad:-none}.mp3\"\n"
      ).jobs
      #expect(jobs.map(\.name) == ["1", "2", "3"])
      #expect(jobs.flatMap(\.outputs).map(\.path) == ["1-x.mp3", "2-none.mp3", "3-y.mp3"])
    }
  }

  @Test("Jobs are named by the first column that distinguishes them, and else by number")
  func names() throws {
    func names(_ table: String, _ more: String = "") throws -> [String] {
      var bench = Bench()
      bench.texts["t.csv"] = table
      return try bench.load("rows: t.csv\n\(more)clip: a.wav\noutput: ${n}.mp3").jobs.map(\.name)
    }
    #expect(try names("lang,id\nen,x\nen,y\n") == ["x", "y"])
    #expect(try names("lang,id\nen,x\nen,x\n") == ["1", "2"])
    #expect(try names("t,id\n\"a\nb\",x\nc,y\n") == ["x", "y"])
    #expect(try names("lang,id\nen,x\nde,y\nen,z\n", "group_by: lang\n") == ["en", "de"])
  }

  @Test("Values that all rows of a group share are bound; an item is repeated for each row")
  func groups() throws {
    var bench = Bench()
    bench.texts["t.csv"] = "ep,show,file,gain\n2,Sea,a,-1 dB\n1,Sky,b,-2 dB\n2,Sea,b,-3 dB\n"
    let jobs = try bench.load(
      """
      rows: t.csv
      group_by: ep
      tracks:
        talk:
          - { each: row, clip: "${file}.wav", gain: "${gain}", chapter: "${row.n} of ${row.count}" }
          - 1s
        bed: { each: row, clip: a.wav }
      metadata: { album: "${show}", track: "${n}/${count}" }
      output: ${ep}.mp3
      """
    ).jobs
    #expect(jobs.map(\.name) == ["2", "1"])
    #expect(jobs.map { $0.metadata["album"] } == ["Sea", "Sky"])
    let tracks = jobs.map { job -> [ItemTrack] in
      if case .tracks(let tracks) = job.item.content { tracks } else { [] }
    }
    #expect(tracks.map { $0.map(\.sequence.items.count) } == [[3, 2], [2, 1]])
    #expect(
      tracks.map { $0[0].sequence.items.compactMap(\.chapter?.title) } == [
        ["1 of 2", "2 of 2"], ["1 of 1"],
      ])
    #expect(
      jobs.map { $0.media.map(\.location.file) } == [["a.wav", "b.wav"], ["b.wav", "a.wav"]])
  }

  @Test("Without 'group_by' the job's only row is each of them")
  func eachOfOne() throws {
    var bench = Bench()
    bench.texts["t.csv"] = "file\na\nb\n"
    let jobs = try bench.load(
      "rows: t.csv\nconcat: [{ each: row, clip: \"${file}.wav\" }, 1s]\noutput: ${file}.mp3"
    ).jobs
    #expect(jobs.map { $0.media.map(\.location.file) } == [["a.wav"], ["b.wav"]])
  }
}
