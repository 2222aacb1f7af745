import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import YAML

@testable import JobFile

@Suite("Takes in job files") struct TakeEditTests {
  /// What becomes of a job file's text.
  private func edit(
    _ text: String, track: String = "voice", job: String? = nil, clip: String = "takes/a.wav",
    at time: Time = Time(value: 83, timescale: 1), files others: [String: String] = [:]
  ) throws -> (text: String, edited: TakeEdit.Edited, jobs: [Job]) {
    let bytes = Array(text.utf8)
    let media = ["x.wav", "y.wav", clip]
    let (map, files) = (SourceMap(), MemoryFiles(media, texts: others, bytes: ["job.yaml": bytes]))
    let file = try JobFile.load("job.yaml", into: map, files: files)
    let chosen = try #require(file.jobs.first { job == nil || $0.name == job })
    let edited = try TakeEdit(clip: clip, onTrack: track, of: chosen.name, at: time)
      .applied(to: bytes, of: file, in: map)
    var rest = edited.bytes
    rest.removeSubrange(edited.inserted)
    #expect(rest == bytes)
    let after = MemoryFiles(media, texts: others, bytes: ["job.yaml": edited.bytes])
    let read = try JobFile.load("job.yaml", into: SourceMap(), files: after).jobs
    return (String(decoding: edited.bytes, as: UTF8.self), edited, read)
  }

  private func refusal(_ text: String, track: String = "voice") -> String? {
    do {
      _ = try edit(text, track: track)
      return nil
    } catch let error as Diagnostics {
      return error.errors.first.map { "\($0.message); \($0.help ?? "")" }
    } catch {
      return "\(error)"
    }
  }

  @Test("a list in lines gets a line, and comments, blanks and quotes stay")
  func block() throws {
    let text = """
      # The show.
      tracks:
        voice:
            - 'x.wav'   # first
            - { clip: "y.wav",at: 1:00 }  # second

        # About the music.
        music: x.wav
      output: out.mp3
      """
    #expect(
      try edit(text).text == """
        # The show.
        tracks:
          voice:
              - 'x.wav'   # first
              - { clip: "y.wav",at: 1:00 }  # second
              - { clip: takes/a.wav, at: 1:23 }

          # About the music.
          music: x.wav
        output: out.mp3
        """)
  }

  @Test("a list in brackets gets a comma and the take, also behind a comma")
  func flow() throws {
    for (list, result) in [
      ("[x.wav]", "[x.wav, { clip: takes/a.wav, at: 1:23 }]"),
      ("[ x.wav, y.wav , ]", "[ x.wav, y.wav, { clip: takes/a.wav, at: 1:23 } , ]"),
      (
        "[\n    x.wav, # one\n    y.wav # two\n  ]",
        "[\n    x.wav, # one\n    y.wav, { clip: takes/a.wav, at: 1:23 } # two\n  ]"
      ),
    ] {
      let text = "tracks:\n  voice: \(list)\noutput: out.mp3\n"
      #expect(try edit(text).text == "tracks:\n  voice: \(result)\noutput: out.mp3\n")
    }
    #expect(
      try edit("tracks: { voice: [x.wav] }\noutput: a.mp3\n", track: "new").text
        == "tracks: { voice: [x.wav], new: [{ clip: takes/a.wav, at: 1:23 }] }\noutput: a.mp3\n")
  }

  @Test("a track that is not there is added behind the others, also at the end of the file")
  func newTrack() throws {
    let (text, edited, jobs) = try edit(
      "output: out.mp3\ntracks:\n  music:\n  - x.wav\n  - y.wav", track: "voice two")
    #expect(
      text == """
        output: out.mp3
        tracks:
          music:
          - x.wav
          - y.wav
          voice two:
            - { clip: takes/a.wav, at: 1:23 }
        """)
    #expect(edited.isNewTrack)
    guard case .tracks(let tracks) = jobs[0].item.content else {
      Issue.record("no tracks")
      return
    }
    #expect(tracks.count == 2)
  }

  @Test("of several jobs the named one is edited, and a track's 'concat' is its list")
  func jobs() throws {
    let text = """
      jobs:
        one:
          tracks: { voice: [x.wav] }
          output: one.mp3
        two:
          output: two.mp3
          tracks:
            voice:
              concat:
                - x.wav
                - y.wav   # the last
              gain: -3 dB
      """
    #expect(
      try edit(text, job: "two").text
        == text.replacing(
          "# the last\n", with: "# the last\n          - { clip: takes/a.wav, at: 1:23 }\n"))
    #expect(
      try edit(text, job: "one").text
        == text.replacing("[x.wav]", with: "[x.wav, { clip: takes/a.wav, at: 1:23 }]"))
  }

  @Test("paths and times are written so that they are read back")
  func spelling() throws {
    let names = [
      "takes/a b.wav", "takes/it's.wav", "takes/a: b.wav", "takes/${x}.wav", "takes/ü#1.wav",
      "takes/[1],{2}.wav", "takes/\"q\".wav", "./1.wav",
    ]
    for name in names {
      for list in ["[x.wav]", "\n    - x.wav"] {
        let time = Time(value: 1001, timescale: 30_000)
        let jobs = try edit(
          "tracks:\n  voice: \(list)\noutput: out.mp3\n", clip: name, at: time
        ).jobs
        #expect(jobs[0].media.last?.location == .file(FilePath(name).lexicallyNormalized()))
      }
    }
  }

  @Test(
    "what cannot be edited so is refused by name, with the remedy",
    arguments: [
      ("tracks: { voice: x.wav }\noutput: o.mp3", "the track 'voice' is a single item", "'- '"),
      ("concat: [x.wav]\noutput: o.mp3", "has no 'tracks'", "main:"),
      ("tracks: { voice: [x.wav] }\nspeed: 1.5\noutput: o.mp3", "has 'speed'", "take 'speed' away"),
      (
        "tracks: { voice: { at: 2s, concat: [x.wav] } }\noutput: o.mp3",
        "the track 'voice' has 'at'", "another track"
      ),
      (
        "for_each: { a: [x, y] }\ntracks: { voice: [\"${a}.wav\"] }\noutput: \"o-${a}.mp3\"",
        "'for_each' makes", "a job of its own"
      ),
      (
        "tracks: { voice: [x.wav] }\nsplit: { every: 10m }\noutput: \"o-${part.n}.mp3\"",
        "is split into parts", "without 'split'"
      ),
      (
        "defaults: { speed: 1.25 }\ntracks: { voice: [x.wav] }\noutput: o.mp3", "has 'speed'",
        "from 'defaults'"
      ),
      (
        "defaults: { split: { every: 1m } }\ntracks: { voice: [x.wav] }\n"
          + "output: \"o-${part.n}.mp3\"",
        "is split into parts", "of 'defaults'"
      ),
      (
        "defaults: { for_each: { a: [x] } }\ntracks: { voice: [\"${a}.wav\"] }\n"
          + "output: \"o-${a}.mp3\"",
        "'for_each' makes", "a job of its own"
      ),
    ])
  func refused(text: String, message: String, help: String) {
    let refusal = refusal(text) ?? "nothing"
    #expect(refusal.contains(message) && refusal.contains(help), "\(refusal)")
  }

  /// Keys of an item after which its time is not that of the mix, each with a value.
  private static let shifting = [
    "from": "1s", "to": "9s", "duration": "9s", "cut": "[1s..2s]", "keep": "{ cues: 1 }",
    "insert": "[{ clip: y.wav, at: 1s }]", "trim": "-50 dB", "reverse": "true", "speed": "1.5",
    "pauses": "{ longer_than: 1s, to: 400ms, below: -45 dB }", "loop": "2", "at": "2s",
    "crossfade": "1s",
  ]

  /// The other modifiers.
  private static let others: Set<String> = [
    "stream", "snap", "effects", "loudness", "gain", "volume", "pan", "fade_in", "fade_out", "duck",
    "channels", "polarity", "mute", "chapter", "chapters", "transcript", "loop_points", "name",
    "each", "of", "when", "raw",
  ]

  @Test(
    "a track whose time is not the mix's is refused for each key that makes it so",
    arguments: Language.modifiers.facts.map(\.name))
  func shifted(key: String) {
    guard let value = Self.shifting[key] else {
      #expect(Self.others.contains(key), "'shiftingKey' has each key that changes the time")
      return
    }
    let refusal = refusal(
      "tracks: { voice: { concat: [x.wav], \(key): \(value) } }\noutput: o.mp3")
    #expect(refusal?.contains("the track 'voice' has '\(key)'") == true)
  }

  @Test("a job of an included file is refused with that file's name")
  func included() throws {
    let shared = "jobs:\n  shared:\n    tracks: { voice: [x.wav] }\n    output: o.mp3\n"
    #expect(throws: Diagnostics.self) {
      try edit("include: parts.yaml\n", job: "shared", files: ["parts.yaml": shared])
    }
  }

  /// A job file with tracks in many styles.
  private func randomFile(_ dice: inout Dice) -> String {
    func pick(_ choices: [String]) -> String { choices.randomElement(using: &dice) ?? "" }
    func noise() -> String { pick(["", "", "  # note: [a, 'b", " # ü\u{2028}é"]) }
    func item() -> String {
      pick([
        "x.wav", "'y.wav'", "\"x.wav\"", "750ms", "{ clip: x.wav, gain: -2 dB }",
        "{ clip: 'y.wav' , name: \"it's, 1\" }",
      ])
    }
    var lines = [pick(["# head", "version: 1", "sample_rate: 48 kHz"])]
    let isLast = Bool.random(using: &dice)
    if isLast { lines.append("output: out.mp3" + noise()) }
    lines += ["tracks:" + noise()]
    let indent = pick(["  ", " ", "     "])
    for number in 0..<Int.random(in: 1...4, using: &dice) {
      let (name, count) = (pick(["t", "'t", "\"t"]), Int.random(in: 1...3, using: &dice))
      let key = name + "\(number)" + (name.first == "t" ? "" : String(name.prefix(1)))
      switch Int.random(in: 0..<5, using: &dice) {
      case 0:
        lines.append(indent + key + ":" + noise())
        let deeper = indent + pick(["", " ", "   "])
        for _ in 0..<count {
          lines.append(deeper + "-" + pick([" ", "   "]) + item() + noise())
          if Bool.random(using: &dice) {
            lines.append(pick(["", "# flush left", indent + "# in"]))
          }
        }
      case 1:
        lines.append(
          indent + key + ": [" + (0..<count).map { _ in item() }.joined(separator: ", ")
            + pick(["]", ", ]", " ]"]) + noise())
      case 2:
        lines.append(indent + key + ": [" + noise())
        lines += (0..<count).map { _ in indent + "  " + item() + "," + noise() }
        lines.append(indent + " ]")
      case 3:
        lines.append(indent + key + ":")
        lines.append(indent + "  concat:" + noise())
        lines += (0..<count).map { _ in indent + "  - " + item() + noise() }
        lines.append(indent + "  gain: -3 dB")
      default:
        lines.append(indent + key + ":")
        lines.append(indent + "  - clip: x.wav" + noise())
        lines.append(indent + "    name: " + pick(["|\n\(indent)      a\n\n", "a b", "'a'"]))
      }
    }
    if !isLast { lines += [pick(["", "# tail"]), "output: out.mp3"] }
    var text = lines.joined(separator: "\n") + pick(["", "\n", "\n\n", "\n# end"])
    if Int.random(in: 0..<4, using: &dice) == 0 { text = text.replacing("\n", with: "\r\n") }
    return (Int.random(in: 0..<6, using: &dice) == 0 ? "\u{FEFF}" : "") + text
  }

  @Test("in any style, the edit takes nothing away, and adds the take alone")
  func anyStyle() throws {
    var dice = Dice(5)
    for _ in 0..<400 {
      let text = randomFile(&dice)
      let track = ["t0", "t1", "t2", "new"].randomElement(using: &dice) ?? "new"
      let before = try JobFile.load(
        "job.yaml", into: SourceMap(),
        files: MemoryFiles(["x.wav", "y.wav"], texts: ["job.yaml": text])
      ).jobs[0]
      let (edited, _, jobs) = try edit(text, track: track)
      try #require(jobs.count == 1, "\(edited)")
      let (old, new) = (Self.items(before), Self.items(jobs[0]))
      // The shapes of all items but the take, which is the last one of its track.
      let known = old[track] ?? []
      #expect(new[track]?.dropLast().elementsEqual(known) == true, "\(edited)")
      #expect(new[track]?.last == "clip takes/a.wav at 1:23", "\(edited)")
      for (key, items) in old where key != track { #expect(new[key] == items, "\(edited)") }
    }
  }

  @Test("in broken files, too, the edit takes nothing away, or is refused")
  func brokenFiles() throws {
    var dice = Dice(11)
    let marks = Array("[]{},:-#&*!|>'\"%@` \n\t\r~é".utf8)
    var (edits, refusals) = (0, 0)
    for _ in 0..<500 {
      var bytes = Array(randomFile(&dice).utf8)
      for _ in 0..<Int.random(in: 1...3, using: &dice) {
        let place = Int.random(in: 0..<bytes.count, using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = marks.randomElement(using: &dice) ?? 0
        default: bytes.insert(marks.randomElement(using: &dice) ?? 0, at: place)
        }
      }
      let map = SourceMap()
      let files = MemoryFiles(["x.wav", "y.wav"], bytes: ["job.yaml": bytes])
      guard let file = try? JobFile.loadAllowingMistakes("job.yaml", into: map, files: files) else {
        continue
      }
      for job in file.jobs {
        let track = ["t0", "new: one"].randomElement(using: &dice) ?? ""
        let edit = TakeEdit(
          clip: "takes/a, 1.wav", onTrack: track, of: job.name, at: Time(value: 1, timescale: 3))
        do throws(Diagnostics) {
          let edited = try edit.applied(to: bytes, of: file, in: map)
          edits += 1
          var rest = edited.bytes
          rest.removeSubrange(edited.inserted)
          #expect(rest == bytes)
        } catch {
          refusals += 1
          #expect(error.errors.first?.help != nil)
        }
      }
    }
    #expect(edits > 70 && refusals > 4)
  }

  /// The items of each track, in words.
  private static func items(_ job: Job) -> [String: [String]] {
    guard case .tracks(let tracks) = job.item.content else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: tracks.map { track in
        var items = track.sequence.items
        if items.count == 1, case .concat(let list) = items[0].content { items = list.items }
        return (track.name, items.map(words))
      })
  }

  private static func words(_ item: Item) -> String {
    let content =
      switch item.content {
      case .clip(let medium): "clip \(medium.location)"
      case .silence: "silence"
      case .concat: "list"
      case .tracks: "mix"
      }
    let gain = item.gain.map { " \($0.value)" } ?? ""
    let name = item.name.map { " \($0.value)" } ?? ""
    return content + gain + name + (item.at.map { " at \($0.value)" } ?? "")
  }

  @Test("the job files of this repository keep their bytes, whatever comments stand in them")
  func corpus() throws {
    var dice = Dice(7)
    var count = 0
    let names = ["design", "podcast", "recipes/design", "recipes/podcast", "recipes/radio"]
    for name in names {
      let source = String(
        decoding: try readFile(Fixture.path("../Jobs/\(name).yaml")), as: UTF8.self)
      for _ in 0..<5 {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
          line in
          Int.random(in: 0..<3, using: &dice) == 0 ? [String(line), "# a: [note"] : [String(line)]
        }
        let bytes = Array(lines.joined(separator: "\n").utf8)
        let map = SourceMap()
        let file = try JobFile.loadAllowingMistakes(
          "job.yaml", into: map, files: MemoryFiles(bytes: ["job.yaml": bytes]))
        for job in file.jobs {
          for track in ["takes", "jingles"] {
            let edit = TakeEdit(
              clip: "takes/a.wav", onTrack: track, of: job.name, at: Time(value: 5, timescale: 1))
            guard let edited = try? edit.applied(to: bytes, of: file, in: map) else { continue }
            count += 1
            var rest = edited.bytes
            rest.removeSubrange(edited.inserted)
            #expect(rest == bytes)
            let added = edited.bytes[edited.inserted].split(separator: 0x0A)
            #expect(added.count == (edited.isNewTrack ? 2 : 1))
          }
        }
      }
    }
    #expect(count >= 20)
  }
}
