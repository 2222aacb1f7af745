import ExportEngine
import ExportGraph
import JSON
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Transcripts

@testable import Diagnosis
@testable import Reports

@Suite("Words in reports")
struct SaidCuesTests {
  private func cue(_ text: String, _ start: Int64, speaker: String? = nil) -> Cue {
    Cue(
      text,
      in: TimeRange(
        start: Time(value: start, timescale: 3), duration: Time(value: 1, timescale: 1)),
      speaker: speaker)
  }

  /// An output that has these words.
  private func output(_ cues: [Cue], isMeasured: Bool = true) -> RunReport.Output {
    var written = WrittenOutput.sample("a.mp3", frames: 441_000)
    if isMeasured { written.overview = SoundOverview(peaks: [1, 2], loudness: [3]) }
    var output = Output(path: "a.mp3", format: .wav(.int16))
    output.transcript = TranscriptPlaces(sidecars: [.vtt])
    var sink = Sink(
      node: 0, frames: 0..<441_000, output: output, format: .wav(.int16), metadata: Metadata(),
      chapters: [], isDithered: false)
    sink.transcript = Transcript(cues, language: "en")
    return RunReport.Output(
      path: "a.mp3", format: "MP3", bytes: 1, sound: RunReport.Sound(written, sink))
  }

  private func report(_ outputs: [RunReport.Output]) -> RunReport {
    var job = RunReport.Job(name: "talk", job: "talk", status: .done)
    job.outputs = outputs
    return RunReport(
      versions: [("avjob", "0.1.0")], system: "Linux 6.1 x86_64", cores: 2, files: ["jobs.yaml"],
      started: Timestamp(seconds: 1_767_323_045, milliseconds: 7), elapsed: .milliseconds(1234),
      exitStatus: 0, messages: [], jobs: [job])
  }

  /// The data of a page.
  private func data(of page: String) throws -> JSONValue {
    let mark = "<script type=\"application/json\" id=\"data\">"
    let start = try #require(page.firstRange(of: mark)).upperBound
    let end = try #require(page[start...].firstRange(of: "</script>")).lowerBound
    return try JSONValue(reading: page[start..<end].utf8)
  }

  @Test("an output has its cues to the millisecond, with their speakers, and how many there are")
  func facts() throws {
    let json = JSONReport.output(output([cue("Hello,\nyou", 2, speaker: "Ann"), cue("so", 4)]))
    #expect(
      json["transcript"]?.line
        == #"{"cues":2,"words":0,"language":"en","captions":false,"lyrics":false}"#)
    #expect(
      json["cues"]?.line
        == #"[{"start":0.667,"end":1.667,"speaker":"Ann","text":"Hello,\nyou"},"#
        + #"{"start":1.333,"end":2.333,"text":"so"}]"#)
    // Reports that are read again have them, too.
    let text = JSONReport.text(report([output([cue("so", 0)])]))
    #expect(JSONReport.text(try RunReport(JSONValue(reading: text.utf8))) == text)
  }

  @Test(
    "an output that is not looked at for a page has their number alone, and one without a place none"
  )
  func plain() {
    let counted = JSONReport.output(output([cue("so", 0)], isMeasured: false))
    #expect(counted["transcript"]?["cues"]?.integer == 1)
    #expect(counted["cues"] == nil)
    let wordless = JSONReport.output(
      RunReport.Output(
        path: "a.mp3", format: "MP3", bytes: 1,
        sound: RunReport.Sound(.sample("a.mp3", frames: 1))))
    #expect(wordless["transcript"] == nil)
  }

  @Test("no text ends the data of a page or begins a tag, and all of it is there")
  func escaping() throws {
    let hostile =
      "</script><script>alert(1)</script><!-- \u{202E}txet\u{2028}\u{0}\u{FFFD}&amp;\"\\"
    let page = HTMLReport.text(
      report([output([cue(hostile, 0, speaker: "<b>\(hostile)")])]), at: "report.html")
    #expect(!page.contains("<script>alert") && !page.contains("<b>") && !page.contains("<!-- "))
    let said = try data(of: page)["report"]?["jobs"]?.elements?.first?["outputs"]?.elements?.first?[
      "cues"]?.elements?.first
    #expect(said?["text"]?.text == hostile)
    #expect(said?["speaker"]?.text == "<b>\(hostile)")
    // What shows it makes no markup of it.
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"] {
      #expect(!page.contains(word))
    }
    #expect(page.contains("default-src 'none'"))
  }

  @Test(
    "an hour of single words is in a page, and of more the first, with the number of the others")
  func bounds() throws {
    let hour = output((0..<10_000).map { cue("word", Int64($0)) })
    let page = HTMLReport.text(report([hour]), at: "report.html")
    func shown(_ page: String) throws -> [Int64?] {
      let output = try data(of: page)["report"]?["jobs"]?.elements?.first?["outputs"]?.elements?
        .last
      return [
        output?["cues"]?.elements.map { Int64($0.count) }, output?["transcript"]?["cues"]?.integer,
      ]
    }
    #expect(try shown(page) == [10_000, 10_000])
    #expect(page.utf8.count < 1_500_000)
    let day = output((0..<30_000).map { cue("word", Int64($0)) })
    #expect(try shown(HTMLReport.text(report([day]), at: "r.html")) == [20_000, 30_000])
    let book = output((0..<30).map { cue(String(repeating: "a", count: 50_000), Int64($0)) })
    #expect(try shown(HTMLReport.text(report([book]), at: "r.html")) == [20, 30])
    // Of many outputs a page has less, and stays as small as ever.
    let many = HTMLReport.text(
      report(Array(repeating: book, count: 30)), at: "r.html")
    #expect(many.utf8.count < 20_000_000)
    #expect(try shown(many) == [0, 30])
  }

  @Test("a run holds as many words as a page has room for, and the number of all")
  func memory() {
    let book = output((0..<20).map { cue(String(repeating: "a", count: 50_000), Int64($0)) })
    var tally = RunTally((0..<13).map { "\($0)" })
    for job in 0..<13 {
      tally.apply(RunEvent(job: job, .finished([book], reason: nil), at: .now))
    }
    let facts = (0..<13).map { tally.job($0).outputs[0].sound?.facts }
    #expect(facts.map { $0?["cues"] != nil } == Array(repeating: true, count: 11) + [false, false])
    #expect(facts.allSatisfy { $0?["transcript"]?["cues"]?.integer == 20 })
  }
}
