import Testing

@testable import JobFile
@testable import JobModel

/// What one job multiplies is counted before it takes memory.
@Suite struct MemoryTests {
  private static let ranges = (0..<1000).map { "\($0):00..\($0):30\n" }.joined()
  private static let titles = (0..<1000).map { "\($0):00 Part \($0)\n" }.joined()

  private static var bench: Bench {
    var bench = Bench()
    bench.texts = ["r.txt": ranges, "ch.txt": titles]
    bench.options.sizeLimit = 10_000_000
    return bench
  }

  private func errors(_ yaml: String) -> [Substring] {
    Self.bench.screen(yaml).split(separator: "\n").filter { $0.contains(" error: ") }
  }

  @Test(
    "A list that many items of one job name is refused at the item that is too much",
    arguments: ["mute: r.txt", "cut: r.txt", "chapters: ch.txt", "cut: { ranges: r.txt }"])
  func items(list: String) {
    let items = String(repeating: "- { clip: a.wav, \(list) }\n", count: 100)
    #expect(
      errors("concat:\n\(items)output: o.mp3\n") == [
        "job.yaml:26:3: error: with this item all jobs take more than 10 MB of memory"
      ])
    let few = String(repeating: "- { clip: a.wav, \(list) }\n", count: 20)
    #expect(errors("concat:\n\(few)output: o.mp3\n").isEmpty)
  }

  @Test("Rows of a table that repeat an item of one job are counted as they are read")
  func rows() {
    var bench = Self.bench
    bench.texts["t.csv"] = "g,v\n" + (0..<100).map { "a,\($0)\n" }.joined()
    let item = "{ each: row, clip: a.wav, gain: '-${v} dB', mute: r.txt }"
    let screen = bench.screen(
      "rows: t.csv\ngroup_by: g\neffects: [denoise]\nconcat: [\(item)]\noutput: '${g}.wav'\n")
    #expect(screen.contains("all jobs take more than 10 MB of memory"))
    #expect(screen.split(separator: "\n").filter { $0.contains(" error: ") }.count == 1)
  }

  /// A thousand details of each key of an item that takes any number of them.
  private static let details: [String: String] = {
    func list(_ element: String) -> String {
      "[" + Array(repeating: element, count: 1000).joined(separator: ", ") + "]"
    }
    func points(_ value: String) -> String {
      "{ " + (0..<1000).map { "\($0)s: \(value)" }.joined(separator: ", ") + " }"
    }
    let item = "{ clip: a.wav, at: 1s, effects: \(list("denoise")) }"
    return [
      "effects": list("denoise"), "cut": list("1s..2s"), "mute": list("1s..2s"),
      "volume": points("0 dB"), "pan": points("left"), "chapters": points("Part"),
      "concat": "[\(item)]", "insert": "[\(item)]", "tracks": "{ music: \(item) }",
    ]
  }()

  /// Keys whose lists and maps have few entries.
  private static let short: Set<String> = [
    "at", "chapter", "crossfade", "duck", "fade_in", "fade_out", "from", "keep", "loop_points",
    "loudness", "pauses", "raw", "speed", "to", "transcript", "trim",
  ]

  @Test(
    "A loop whose jobs are too much for their written lists is refused before they are made",
    arguments: Language.item.keys.filter { $0.form.shapes != [.text] }.map(\.name))
  func loops(key: String) {
    guard let details = Self.details[key] else {
      #expect(Self.short.contains(key), "'leastDetails' counts what a job has of each key")
      return
    }
    let clip = Language.contentNames.contains(key) ? "" : "clip: a.wav\n"
    let count = (1...100).map(String.init).joined(separator: ", ")
    // A missing variable would be reported if a job were decoded.
    let yaml =
      "for_each: { k: [\(count)] }\n\(clip)\(key): \(details)\noutput: '${k}-${none}.wav'\n"
    #expect(
      errors(yaml) == [
        "job.yaml:1:1: error: with the 100 jobs of this loop all jobs take more than 10 MB of memory"
      ])
  }

  @Test("Jobs and items share the storage of lists that are the same for them")
  func shared() throws {
    func address<Element>(_ list: [Element]) -> UnsafePointer<Element>? {
      list.withUnsafeBufferPointer(\.baseAddress)
    }
    let loop = try Self.bench.load(
      "for_each: { k: [1, 2] }\nclip: a.wav\neffects: [denoise, declick]\nmute: r.txt\n"
        + "output: '${k}.wav'\n")
    #expect(loop.jobs.count == 2 && loop.jobs[0].item.mutes.count == 1000)
    #expect(Set(loop.jobs.map { address($0.item.effects) }).count == 1)
    #expect(Set(loop.jobs.map { address($0.item.mutes) }).count == 1)
    let defaults = try Self.bench.load(
      "defaults: { chapters: ch.txt, effects: [denoise] }\njobs:\n"
        + "  a: { clip: a.wav, output: a.mp3 }\n  b: { clip: b.wav, output: b.mp3 }\n")
    #expect(Set(defaults.jobs.map { address($0.item.chapters) }).count == 1)
    #expect(Set(defaults.jobs.map { address($0.item.effects) }).count == 1)
  }
}
