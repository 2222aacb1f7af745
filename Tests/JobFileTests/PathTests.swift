import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// One rule for every path: empty names and '.' count for nothing, and a path is absolute only if it is
/// written so.
@Suite struct PathTests {
  /// Spellings of one file below the job's folder, where `${e}` is empty.
  private static func spellings(of path: String) -> [String] {
    let doubled = path.replacing("/", with: "//")
    return [
      path, "./\(path)", ".//\(path)", "././/./\(doubled)", "${e}/\(path)", "${e}//\(path)",
      "./${e}/\(path)", "${e}${e}./\(path)", "${s}/\(path)", "x/../\(path)",
    ]
  }

  /// Spellings of a file in the user's folder.
  private static func homeSpellings(of path: String) -> [String] {
    ["~/\(path)", "~//\(path)", "~///\(path)", "~/./\(path)", "~/${e}/\(path)", "${e}~//\(path)"]
  }

  private func bench() -> Bench {
    var bench = Bench()
    bench.media += [
      "x/y.wav", "/home/ann/a.wav", "/home/ann/raw/ch1.wav", "/home/ann/media/cover.jpg",
      "raw/sub/deep.wav",
    ]
    bench.texts = [
      "lists/times.txt": "0:01 One\n0:02 Two\n", "lists/cuts.txt": "0:01..0:02 x\n",
      "lists/rows.csv": "file\na.wav\n", "lists/vars.yaml": "vars: { v: x }\n",
    ]
    return bench
  }

  /// The job file of an output `x.mp3` and these lines.
  private func load(_ lines: String, output: String = "x.mp3") throws -> Job {
    let yaml = "vars: { e: \"\", s: \"${e}\" }\noutput: \"\(output)\"\n" + lines
    return try #require(try bench().load(yaml).jobs.first)
  }

  private func normal(_ path: FilePath?) -> FilePath? { path?.normalized(in: "/home/show") }

  @Test("Every key that takes a path takes each spelling of it alike, with variables empty")
  func everyKey() throws {
    let keys: [(lines: String, path: String, read: (Job) -> FilePath?)] = [
      ("clip: \"PATH\"", "media/host.wav", { $0.media.first?.location.file }),
      ("clip: \"PATH 1s..2s\"", "media/host.wav", { $0.media.first?.location.file }),
      ("concat: [\"PATH\"]", "media/host.wav", { $0.media.first?.location.file }),
      ("concat: [\"PATH\"]", "raw/ch1[0]*.wav", { $0.media.first?.location.file }),
      ("tracks: { a: \"PATH\" }", "media/host.wav", { $0.media.first?.location.file }),
      (
        "clip: a.wav\ninsert: [{ clip: \"PATH\", at: 1s }]", "media/host.wav",
        { $0.media.last?.location.file }
      ),
      (
        "sources: { s1: { file: \"PATH\" } }\nclip: s1", "media/host.wav",
        { $0.media.first?.location.file }
      ),
      ("sources: { s1: \"PATH\" }\nclip: s1", "media/host.wav", { $0.media.first?.location.file }),
      ("for_each: \"PATH\"", "raw/ch1[0]*.wav", { $0.media.first?.location.file }),
      ("for_each: [\"PATH\"]", "raw/ch10.wav", { $0.media.first?.location.file }),
      (
        "clip: a.wav\nmetadata: { cover: \"PATH\" }", "media/cover.jpg",
        { $0.metadata.cover?.location.file }
      ),
      (
        "clip: a.wav\nmetadata: { from: \"PATH\" }", "media/host.wav",
        { $0.media.last?.location.file }
      ),
      (
        "clip: a.wav\neffects: [{ reverb: { impulse: \"PATH\" } }]", "media/host.wav",
        { $0.media.last?.location.file }
      ),
    ]
    for (lines, path, read) in keys {
      for spelling in Self.spellings(of: path) {
        let found = try? read(load(lines.replacing("PATH", with: spelling)))
        let name = path.replacing("[0]*", with: "0")
        #expect(normal(found) == FilePath("/home/show/\(name)"), "\(lines) with \(spelling)")
      }
    }
  }

  @Test("Outputs, folders of outputs and records go below the job's folder in each spelling")
  func outputs() throws {
    for spelling in Self.spellings(of: "out/a.flac") {
      let path = try load("clip: a.wav", output: spelling).outputs.first?.path
      #expect(normal(path) == "/home/show/out/a.flac", "\(spelling)")
    }
    for spelling in Self.spellings(of: "out") + Self.spellings(of: "out/") {
      let yaml = """
        vars: { e: "", s: "${e}" }
        clip: a.wav
        output: [{ folder: "\(spelling)", mp3: V2 }, { folder: "\(spelling)", json: sidecar }]
        """
      let job = try #require(try bench().load(yaml).jobs.first)
      #expect(normal(job.outputs.first?.path) == "/home/show/out/a.mp3", "\(spelling)")
      #expect(normal(job.records.first?.path) == "/home/show/out/a.json", "\(spelling)")
    }
  }

  @Test("An output of files at the top of a pattern stays in the job's folder")
  func emptyFolderOfInput() throws {
    for output in ["./${input.dir}/${input.stem}-x.flac", "${input.dir}/${input.stem}-x.flac"] {
      let jobs = try bench().load("for_each: \"raw/**/*.wav\"\noutput: \"\(output)\"").jobs
      let found = jobs.map { normal($0.outputs.first?.path) }
      #expect(found.contains("/home/show/ch1-x.flac"), "\(output): \(found)")
      #expect(found.contains("/home/show/sub/deep-x.flac"), "\(output): \(found)")
    }
  }

  @Test("An output of a part keeps below the job's folder where a variable before it is empty")
  func parts() throws {
    let yaml = """
      for_each: raw/*.wav
      split: { 0s: One, 10s: Two }
      output: "${input.dir}/${input.stem} ${part.n}.flac"
      """
    let job = try #require(try bench().load(yaml).jobs.first)
    #expect(normal(job.outputs.first?.path) == "/home/show/ch1 ${part.n}.flac")
  }

  @Test("Lists, tables and included files are found in each spelling")
  func otherFiles() throws {
    for (lines, path) in [
      ("clip: a.wav\nchapters: \"PATH\"", "lists/times.txt"),
      ("clip: a.wav\ncut: \"PATH\"", "lists/cuts.txt"),
      ("clip: a.wav\nmute: \"PATH\"", "lists/cuts.txt"),
      ("rows: \"PATH\"\nclip: \"${file}\"", "lists/rows.csv"),
    ] {
      for spelling in Self.spellings(of: path) {
        #expect(throws: Never.self, "\(lines) with \(spelling)") {
          _ = try load(lines.replacing("PATH", with: spelling))
        }
      }
    }
    for spelling in ["lists/vars.yaml", ".//lists//vars.yaml", "././/lists/vars.yaml"] {
      let job = try bench().load(
        "include: \(spelling)\nclip: a.wav\noutput: x.mp3\nmetadata: { title: \"${v}\" }")
      #expect(job.jobs.first?.metadata["title"] == "x")
    }
  }

  @Test("'~' is the user's folder in each spelling, in patterns too")
  func home() throws {
    for spelling in Self.homeSpellings(of: "a.wav") {
      let job = try load("clip: \"\(spelling)\"", output: spelling.replacing(".wav", with: ".mp3"))
      #expect(normal(job.media.first?.location.file) == "/home/ann/a.wav", "\(spelling)")
      #expect(normal(job.outputs.first?.path) == "/home/ann/a.mp3", "\(spelling)")
    }
    for spelling in Self.homeSpellings(of: "raw/*.wav") {
      for lines in ["for_each: \"\(spelling)\"", "concat: [\"\(spelling)\"]"] {
        let found = try load(lines).media.first?.location.file
        #expect(normal(found) == "/home/ann/raw/ch1.wav", "\(lines)")
      }
    }
  }

  @Test("What is left out by a pattern is left out in any spelling of both")
  func exclusions() throws {
    for exclusion in [
      "!raw/ch1*", "!./raw/ch1*", "!.//raw//ch1*", "!x/../raw/ch1*", "!/home/show/raw/ch1*",
      "!${e}/raw/ch1*",
    ] {
      for pattern in ["raw/*.wav", "./raw//*.wav", "x/../raw/*.wav", "/home/show/raw/*.wav"] {
        let yaml = """
          vars: { e: "" }
          for_each: ["\(pattern)", "\(exclusion)"]
          output: { folder: out, mp3: V2 }
          """
        let names = try bench().load(yaml).jobs.map(\.name)
        #expect(names == ["ch2"], "\(pattern) \(exclusion)")
      }
    }
  }

  @Test("A path that is written absolute stays so, and so does one of an absolute variable")
  func absolute() throws {
    let job = try #require(
      try bench().load(
        "vars: { r: /srv }\nclip: a.wav\noutput: [/srv/x.mp3, \"${r}/y.mp3\", \"//srv//z.mp3\"]"
      ).jobs.first)
    #expect(job.outputs.map(\.path) == ["/srv/x.mp3", "/srv/y.mp3", "/srv/z.mp3"])
  }
}
