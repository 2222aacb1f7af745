import Diagnosis
import SystemPackage
import Testing

@testable import JobFile

/// What messages show of files that they may not quote: such as lie outside of the job file's folder.
@Suite struct QuotationScreens {
  private static let secrets = [
    "s.yaml": """
    vars: { token: S3CRET, keyS3CRET: b }
    presets: { S3CRET-preset: { mp3: V0 } }
    sources: { S3CRET-source: { file: gone-S3CRET.wav } }
    """,
    "s.csv": "S3CRET a,S3CRET-b,size\nS3CRET.wav,x,S3CRET\ny.wav,x,7\n",
    "s.txt": "1:00 S3CRET\nS3CRET 2:00\n",
    "v.yaml": "vars: { token: S3CRET }\n", "m.csv": "file\nS3CRET.wav\n",
  ]

  private func screen(_ yaml: String) -> String {
    var bench = Bench()
    bench.texts = Self.secrets
    return bench.screen(yaml, named: "a/job.yaml")
  }

  @Test(
    "No message has a word of them, wherever it stands",
    arguments: [
      "rows: ../s.csv\ngroup_by: nope\nclip: a.wav",
      "rows: ../s.csv\ngroup_by: S3CRET-c\nclip: a.wav",
      "rows: ../s.csv\nclip: a.wav\nmetadata: { title: '${S3CRET-c}' }",
      "rows: ../s.csv\nclip: a.wav\nmetadata: { title: '${S3CRET_a}' }",
      "rows: ../s.csv\nclip: a.wav\nmetadata: { title: '${size:02}' }",
      "rows: ../s.csv\nclip: a.wav\nfade_in: ${size}",
      "rows: ../s.csv\nclip: a.wav\ncut: ${size}",
      "rows: ../s.csv\nclip: a.wav\nsplit: ${size}",
      "rows: ../s.csv\ngroup_by: S3CRET-b\nclip: a.wav\nfade_in: ${size}",
      "rows: ../s.csv\nclip: ${size}",
      "rows: ../s.csv\nconcat: ['${size}/*.wav']",
      "rows: ../s.csv\nclip: a.wav\nneeds: ['${size}']",
      "chapters: ../s.txt\nclip: a.wav",
      "include: ../s.yaml\nclip: ${token}",
      "include: ../s.yaml\nclip: a.wav\nfade_in: ${token}",
      "include: ../s.yaml\nvars: { own: '${token}s' }\nclip: a.wav\nfade_in: ${own}",
      "include: ../s.yaml\nfor_each: { take: ['${token}'] }\nclip: a.wav\nfade_in: ${take}",
      "include: ../s.yaml\nfor_each: ['${token}']\nclip: a.wav\nfade_in: ${input.stem}",
      "include: ../s.yaml\nclip: a.wav\nmetadata: { title: '${keyS3CRE}' }",
      "include: ../s.yaml\nclip: a.wav\nmetadata: { title: '${token:03}' }",
      "include: ../s.yaml\nclip: a.wav\nmetadata: { cover: '${token}.png' }",
      "include: ../s.yaml\nclip: S3CRET-sourc",
      "include: ../s.yaml\nclip: S3CRET-source",
      "include: ../s.yaml\nclip: a.wav\npreset: nope",
    ])
  func words(keys: String) {
    let output =
      keys.contains("preset:")
      ? "output: { file: x.mp3, preset: S3CRET-prese }\n" : "output: 'x${part.n:-}${n:-}.mp3'\n"
    let yaml = keys.replacing("\npreset: nope", with: "") + "\n" + output
    let shown = screen(yaml)
    #expect(shown.contains("error:"))
    // What the job file itself says may be quoted.
    var words = shown.split(separator: "\n").filter { !$0.contains(" | ") }.joined(separator: "\n")
    for own in ["S3CRET-c", "S3CRET_a", "keyS3CRE", "S3CRET-prese", "S3CRET-sourc"] {
      words = words.replacing("'\(own)'", with: "").replacing("--set \(own)=", with: "")
    }
    #expect(!words.contains("S3CRET"), "\(shown)")
  }

  @Test("A value by way of a variable is refused where the job file has it")
  func value() {
    #expect(
      screen("include: ../v.yaml\nclip: a.wav\nfade_in: ${token}\noutput: x.mp3\n") == """
        a/job.yaml:3:10: error: the value is refused; it has words of a file whose lines are not shown
            3 | fade_in: ${token}
              |          ^~~~~~~~
          help: put that file beside the job file, or below its folder
        """)
  }

  @Test("A missing file is not named by words of such a file; others of the job are")
  func missing() {
    #expect(
      screen("rows: ../m.csv\nconcat: ['${file}', gone.wav]\noutput: '${n}.mp3'\n") == """
        a/job.yaml:2:21: error: there is no file 'gone.wav'
            2 | concat: ['${file}', gone.wav]
              |                     ^~~~~~~~
          help: put it there: a path counts from the folder of the file that it stands in
        a/../m.csv:2:1: error: there is no file of the name that is meant here
          help: the name is not shown, since it has words of a file whose lines are not shown: put that file beside the job file, or below its folder
        a/job.yaml:2:10: note: it is used here
            2 | concat: ['${file}', gone.wav]
              |          ^~~~~~~~~
        a/job.yaml:1:7: note: the table is named here
            1 | rows: ../m.csv
              |       ^~~~~~~~
        """)
  }

  @Test("Mistakes of the job file's own values stay as they are beside them")
  func own() {
    #expect(
      screen(
        """
        include: ../v.yaml
        vars: { mine: 5x }
        jobs:
          a: { clip: a.wav, fade_in: "${mine}", fade_oot: "${token}", output: "${token}.mp3" }
        """) == """
          a/job.yaml:4:30: error: '5x' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
              4 |   a: { clip: a.wav, fade_in: "${mine}", fade_oot: "${token}", output: "${token}.mp3" }
                |                              ^~~~~~~~~
          a/job.yaml:4:41: error: unknown key 'fade_oot'
              4 |   a: { clip: a.wav, fade_in: "${mine}", fade_oot: "${token}", output: "${token}.mp3" }
                |                                         ^~~~~~~~
            help: did you mean 'fade_out'?
          """)
  }

  @Test("A file is judged by the place that it was read from, not by its path")
  func swapped() throws {
    let text = "1:00 A\nS3CRET\n"
    for (place, isQuoted) in [("list.txt", true), (".git/config", false), ("../list.txt", false)] {
      let files = SwappedFiles(
        files: MemoryFiles(["a.wav"], texts: ["job.yaml": Self.list, "list.txt": text]),
        places: ["list.txt": place])
      let map = SourceMap()
      let error = #expect(throws: Diagnostics.self) {
        try JobFile.load("job.yaml", into: map, files: files)
      }
      #expect(error?.render(in: map).contains("S3CRET") == isQuoted)
    }
  }

  private static let list = "clip: a.wav\nchapters: list.txt\noutput: x.mp3\n"

  @Test(
    "A job file that its user names is quoted, unless a link leads out or to a name with a dot",
    arguments: [
      ("jobs/job.yaml", "jobs/job.yaml", true), (".ci/job.yaml", ".ci/job.yaml", true),
      ("jobs/.job.yaml", "jobs/.job.yaml", true), ("jobs/job.yaml", "jobs/more/a.yaml", true),
      ("jobs/job.yaml", "jobs/.env", false), ("jobs/job.yaml", "jobs/.git/job.yaml", false),
      ("jobs/job.yaml", "secret.yaml", false), ("job.yaml", ".env", false),
    ])
  func named(path: String, place: String, isQuoted: Bool) throws {
    let files = SwappedFiles(
      files: MemoryFiles(texts: [path: "S3CRET\n"]), places: [FilePath(path): place])
    let map = SourceMap()
    let error = #expect(throws: Diagnostics.self) {
      try JobFile.load(FilePath(path), into: map, files: files)
    }
    #expect(error?.render(in: map).contains("S3CRET") == isQuoted)
  }

  @Test("A link that leads out of the folder is counted, with what to do")
  func link() throws {
    let files = SwappedFiles(
      files: MemoryFiles(texts: ["jobs/job.yaml": "S3CRET\n"]), places: ["jobs/job.yaml": ".env"])
    let map = SourceMap()
    let error = #expect(throws: Diagnostics.self) {
      try JobFile.load("jobs/job.yaml", into: map, files: files)
    }
    #expect(
      error?.render(in: map) == """
        error: 'jobs/job.yaml', read as a job file: 1 mistake, in line 1
          help: its lines are not shown, since a link leads out of the folder that it is named in, or to a name that begins with a dot: name the file that the link leads to
        """)
  }
}

/// A disk on which files are read from other places than their paths say, as behind links that another
/// process makes.
private struct SwappedFiles: FileSystem {
  let files: MemoryFiles
  let places: [FilePath: String]
  var homeDirectory: FilePath? { files.homeDirectory }
  var currentDirectory: FilePath { files.currentDirectory }
  func kind(of path: FilePath) -> FileKind? { files.kind(of: path) }
  func entries(of folder: FilePath) -> [FolderEntry]? { files.entries(of: folder) }
  func contents(of path: FilePath, limit: Int) throws -> FileContents {
    var contents = try files.contents(of: path, limit: limit)
    if let place = places[path] { contents.place = resolved(FilePath(place)) }
    return contents
  }
}
