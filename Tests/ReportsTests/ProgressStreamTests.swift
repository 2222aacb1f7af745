import Diagnosis
import MediaComposition
import MediaTime
import RunPlan
import TestSupport
import Testing
import WorkerPool

@testable import ExportEngine
@testable import Reports

@Suite struct ProgressStreamTests {
  @Test("Every event is one line of JSON, and progress of a job comes twice a second at most")
  func events() throws {
    // tidy: long because it is a whole stream.
    let map = SourceMap()
    let source = map.add(text: "jobs:\n  a: {}\n", named: "jobs.yaml")
    let origin = map.origin(in: source, line: 2, column: 3, length: 1)
    let lines = Lines()
    let run = RunFacts(files: ["jobs.yaml"], cores: 2)
    var stream = ProgressStream(of: run, places: map) { lines.all.append($0) }
    let work = zip(["a\n\"", "b", "c", "d"], [origin, origin, .unknown, origin]).map {
      name, origin in
      Work.sample(
        name, estimate: name == "b" ? .seconds(3) : name == "a\n\"" ? .seconds(1) : .zero,
        origin: origin)
    }
    var tally = RunTally(
      work, refusals: [Refusal(name: "e", origin: .unknown, messages: [])], in: map)
    stream.open(
      tally,
      [
        Diagnostic(.warning, "odd", at: origin, help: "mind it"),
        Diagnostic(.note, "a downmix", at: .unknown),
      ], at: run.start)
    func tell(_ milliseconds: Int, _ job: Int, _ kind: PoolEvent.Kind) {
      let event = RunEvent(
        job: job, kind, at: run.start.advanced(by: .milliseconds(milliseconds)), of: work, in: map)
      tally.apply(event)
      stream.show(event, tally)
    }
    tell(10, 0, .started)
    for step in 0..<100 {
      tell(
        10 + 20 * step, 0,
        .progress(
          JobProgress(
            completed: Time(value: Int64(step), timescale: 1),
            total: Time(value: 100, timescale: 1))))
    }
    tell(2500, 0, .warning(Warning("too loud", origin: origin)))
    tell(2510, 0, .finished([], records: [.init(path: "a.json", size: 3)], reason: "--force"))
    tell(2520, 1, .started)
    tell(
      2530, 1,
      .retrying(Failure(.tryAgain, "in use", path: "b.wav", origin: origin), after: .seconds(2)))
    tell(2540, 1, .failed(Failure(.mendMachine, "full", origin: origin)))
    tell(2550, 2, .blocked(by: 1))
    tell(2560, 3, .started)
    stream.show(
      RunEvent(job: 3, .requeued, at: run.start.advanced(by: .milliseconds(2565))), tally)
    tell(2570, 3, .upToDate)
    #expect(
      lines.all.joined() == """
        {"event":"run","time":0,"version":2,"avjob":"0.1.0",\
        "started":"\(run.started.text)","files":["jobs.yaml"],"jobs":4,"refused":1}
        {"event":"warning","time":0,"severity":"warning","message":"odd","help":"mind it",\
        "file":"jobs.yaml","line":2,"column":3,\
        "excerpt":"    2 |   a: {}\\n      |   ^\\n  help: mind it"}
        {"event":"note","time":0,"severity":"note","message":"a downmix"}
        {"event":"start","time":0.01,"job":1,"name":"a\\n\\"","file":"jobs.yaml","line":2,"column":3}
        {"event":"progress","time":0.01,"job":1,"name":"a\\n\\"","fraction":0,"completed":0,"completed_exact":"0s",\
        "total":100,"total_exact":"1:40","run_fraction":0}
        {"event":"progress","time":0.51,"job":1,"name":"a\\n\\"","fraction":0.25,"completed":25,"completed_exact":"25s",\
        "total":100,"total_exact":"1:40","speed":50,"remaining":1.5,"run_fraction":0.0625}
        {"event":"progress","time":1.01,"job":1,"name":"a\\n\\"","fraction":0.5,"completed":50,"completed_exact":"50s",\
        "total":100,"total_exact":"1:40","speed":50,"remaining":1,"run_fraction":0.125}
        {"event":"progress","time":1.51,"job":1,"name":"a\\n\\"","fraction":0.75,"completed":75,"completed_exact":"1:15",\
        "total":100,"total_exact":"1:40","speed":50,"remaining":0.5,"run_fraction":0.1875}
        {"event":"warning","time":2.5,"job":1,"name":"a\\n\\"","severity":"warning",\
        "message":"too loud","file":"jobs.yaml","line":2,"column":3,\
        "excerpt":"    2 |   a: {}\\n      |   ^"}
        {"event":"finished","time":2.51,"job":1,"name":"a\\n\\"","reason":"--force",\
        "outputs":[{"path":"a.json","format":"JSON record","bytes":3}]}
        {"event":"start","time":2.52,"job":2,"name":"b","file":"jobs.yaml","line":2,"column":3}
        {"event":"retrying","time":2.53,"job":2,"name":"b","severity":"warning",\
        "message":"'b.wav': in use","help":"another attempt begins in 0:02",\
        "file":"jobs.yaml","line":2,"column":3,\
        "excerpt":"    2 |   a: {}\\n      |   ^\\n  help: another attempt begins in 0:02","after":2}
        {"event":"failed","time":2.54,"job":2,"name":"b","severity":"error","class":"machine",\
        "message":"full","file":"jobs.yaml","line":2,"column":3,\
        "excerpt":"    2 |   a: {}\\n      |   ^"}
        {"event":"blocked","time":2.55,"job":3,"name":"c","by":2,"by_name":"b"}
        {"event":"start","time":2.56,"job":4,"name":"d","file":"jobs.yaml","line":2,"column":3}
        {"event":"requeued","time":2.565,"job":4,"name":"d"}
        {"event":"up_to_date","time":2.57,"job":4,"name":"d"}

        """)
    try JSONSchema.validate(lines: lines.all.joined(), as: "event")
  }

  @Test("The last event names lists of files, as the report does")
  func manifests() throws {
    let lines = Lines()
    let stream = ProgressStream(of: RunFacts(files: [], cores: 1), places: SourceMap()) {
      lines.all.append($0)
    }
    var report = RunReport(
      RunFacts(files: [], cores: 1), RunTally(), ReportedDiagnostics(isQuiet: true), status: 0)
    stream.close(report, at: .now)
    #expect(lines.all.last?.contains("manifests") == false)
    report.manifests = [
      .init(
        DataSetManifest(path: "x.jsonl", form: .nemo), fileCount: 3, missingCount: 1, isWhole: false
      )
    ]
    stream.close(report, at: .now)
    #expect(
      lines.all.last?.hasSuffix(
        #","manifests":[{"path":"x.jsonl","form":"nemo","files":3,"missing":1,"whole":false}]}"#
          + "\n") == true)
    try JSONSchema.validate(lines: lines.all.joined(), as: "event")
  }

  private final class Lines { var all: [String] = [] }
}
