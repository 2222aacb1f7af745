import Diagnosis
import MPEGAudio
import MediaTime
import Testing

@testable import JobFile
@testable import JobModel

/// Small files in which one thing is wrong, or just right: schema and decoder are of one mind.
@Suite struct SchemaSnippets {
  private static let end = "\nclip: a.wav\noutput: x.mp3"

  /// One mistake each, and nothing that only a disk or a medium shows.
  static let refused = [
    "retries: 101" + end, "retries: -1" + end, "timeout: 0s" + end, "timeout: 0:00" + end,
    "timeout: 441 samples" + end, "timeout: 0/5s" + end,
    "include: []" + end, "include: \"${lib}.yaml\"" + end, "include: [\"${lib}.yaml\"]" + end,
    "for_each: { l: [en, en] }\nclip: a.wav\noutput: \"${l}.mp3\"",
    "for_each: { l: [] }\nclip: a.wav\noutput: \"${l}.mp3\"",
    "for_each: []\nclip: a.wav\noutput: x.mp3",
    "for_each: { input: { a: b } }\nclip: a.wav\noutput: x.mp3",
    "split: { every: 0s }\nclip: a.wav\noutput: \"${part.n}.mp3\"",
    "split: { every: 0 samples }\nclip: a.wav\noutput: \"${part.n}.mp3\"",
    "split: {}\nclip: a.wav\noutput: \"${part.n}.mp3\"",
    "split: { 0s: a, 1s: b }\nclip: a.wav\noutput: all.mp3",
    "split: { 0s: a, 1s: b }\nclip: a.wav\noutput: [{ file: all.mp3 }, \"${part.n}.mp3\"]",
    "clip: a.wav\noutput: { file: x.mp3, gain_tags: both }",
    "automation: {}" + end, "automation: { cue_in: talk.end }" + end,
    "automation: { cue_in: { chapter: [] } }" + end, "automation: { keep: 1s, cue_in: 1s }" + end,
    "split: { every: 1s }\nautomation: { cue_in: 1s }\nclip: a.wav\noutput: \"${part.n}.mp3\"",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { vbr: ten } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { vbr: 10 } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { vbr: 9.9999 } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { vbr: \"9.9999\" } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: V9.9991 }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { cbr: 128.5k } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { abr: V2 } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { preset: loud } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { vbr: 2, quality: 10 } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { quality: 3 } }",
    "clip: a.wav\noutput: { file: x.flac, flac: 16 bit, id3: 2.4 }",
    "clip: a.wav\noutput: { file: x.flac, flac: 16 bit, chapters: [id3] }",
    "clip: a.wav\noutput: { folder: x, codec: same, chapters: id3 }",
    "clip: a.wav\noutput: { file: x.wav, id3: '2.3' }",
    "clip: a.wav\noutput: [{ file: \"${n:-x}.M4A\", id3: 2.4 }, x.mp3]",
    "clip: a.wav\noutput: { file: x.opus, chapters: id3 }",
    "clip: a.wav\noutput: { file: x.mp3, channels: 5.1 }",
    "clip: a.wav\noutput: { file: x.mp3, chapters: [file, podlove, file] }",
    "clip: a.wav\noutput: { file: x.mp3, transcript: [vtt, vtt] }",
    "clip: a.wav\noutput: { file: x.mp3, transcript: file }",
    "clip: a.wav\noutput: { file: x.mkv, transcript: { as: file } }",
    "clip: a.wav\noutput: { file: x.m4a, transcript: { as: [vtt, lyrics] } }",
    "clip: a.wav\noutput: { folder: x, codec: same, transcript: [file] }",
    "clip: a.wav\noutput: { file: x.mp3, transcript: { as: vtt, width: 7 } }",
    "clip: a.wav\noutput: { file: x.mp3, transcript: { width: 32 } }",
    "clip: a.wav\noutput: { file: x.mp3, transcript: { as: podcasting2, segments: lines } }",
    "clip: a.wav\noutput: { file: x.mp3, transcript: words }",
    "transcript: { speaker: Ann }" + end, "transcript: { file: keep, offset: 3 samples }" + end,
    "transcript: { file: keep, encoding: latin }" + end,
    "silence: 1s\ntranscript: keep\noutput: x.mp3",
    "concat: [a.wav]\noutput: { folder: x, mp3: V2 }",
    "concat: [a.wav]\nchannels: left\noutput: x.mp3",
    "tracks: { a: a.wav }\nchannels: channel 2\noutput: x.mp3",
    "silence: 1s\nchapters: keep\noutput: x.mp3",
    "concat: [{ silence: 1s, chapters: keep }]\noutput: x.mp3",
    "concat: [a.wav, { clip: b.wav, at: end }]\noutput: x.mp3",
    "tracks: { a: { clip: a.wav, at: end-1s } }\noutput: x.mp3",
    "sources: { s: { file: a.wav, at: end } }" + end,
    "sources: { s: 1:00..2:00 }" + end,
    "tracks: { a: 1:00..2:00 }\noutput: x.mp3",
    "from: { after: true }" + end, "keep: { crossfade: 1s }" + end, "cut: { cues: 0 }" + end,
    "cut: [1s..2s]\nkeep: { cues: 1 }" + end,
    "concat: [a.wav, { clip: b.wav, at: { text: so } }]\noutput: x.mp3",
    "speed: { rate: fast }" + end, "cut: 1:00..2:00" + end, "insert: [b.wav]" + end,
    "jobs: { \"a${\": { clip: a.wav, output: x.mp3 } }", "jobs: {}",
    "duck: { under: a, by: 1 dB }" + end, "defaults: { duck: { under: a, by: 1 dB } }" + end,
    "concat: [{ clip: a.wav, duck: { under: b, by: 1 dB } }]\noutput: x.mp3",
    "tracks: { a: [{ clip: a.wav, duck: { under: b, by: 1 dB } }], b: b.wav }\noutput: x.mp3",
    "insert: [{ clip: b.wav, at: 0s, duck: { under: b, by: 1 dB } }]" + end,
    "sources: { s: { file: a.wav, duck: { under: b, by: 1 dB } } }" + end,
    ducked("voice"), ducked("{ under: voice }"), ducked("{ by: 3 dB }"),
    ducked("{ under: [], by: 3 dB }"), ducked("{ under: voice, by: 3 }"),
    ducked("{ under: voice, by: -3 dB }"),
    ducked("{ under: voice, by: 50 % }"), ducked("{ under: voice, by: 3 dB, attack: 80 }"),
    ducked("{ under: voice, by: 3 dB, threshold: -inf dB }"),
    ducked("{ under: voice, by: 3 dB, threshold: 1 % }"),
    ducked("{ under: voice, by: 3 dB, to: 1s }"),
  ]

  private static func ducked(_ duck: String) -> String {
    "tracks: { music: { clip: a.wav, duck: \(duck) }, voice: b.wav, fx: b.wav }\noutput: x.mp3"
  }

  /// Next to a mistake, and none.
  static let accepted = [
    "automation: { cue_in: trim, below: -45 dB, next: end-4s, amplify: -3 dB }" + end,
    "clip: a.wav\noutput: { file: x.mp3, gain_tags: none }",
    "from: { text: so, occurrence: 2 }\nto: { text: 42, after: true, plus: 1s }" + end,
    "cut: { words: [um, you know], speaker: Ann, cues: [1, 3..4], ranges: [1s..2s] }" + end,
    "keep: { words: um, cues: 12, crossfade: 15ms }" + end,
    "mute: { speaker: [A, B], text: x }" + end,
    "insert: [{ clip: b.wav, at: { text: so } }]" + end,
    "retries: 100" + end, "retries: \"${n:-3}\"" + end, "timeout: 1/3s" + end,
    "timeout: 0:00.5" + end, "include: lib.yaml" + end,
    "for_each: { l: [1, 1.0, \"01\", en, EN] }\nclip: a.wav\noutput: \"x/${l}${n}.mp3\"",
    "for_each: [raw/*.wav, raw/*.wav]\noutput: { folder: x, mp3: V2 }",
    "split: { every: 1 sample }\nsample_rate: 48 kHz\nclip: a.wav\noutput: \"${part.n:05}.mp3\"",
    "split: { 0s: a, 1s: b }\nclip: a.wav\noutput: { folder: parts, mp3: V2 }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { vbr: V2.5, quality: 9 } }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { vbr: 9.999 }, chapters: [id3, podlove] }",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { vbr: \"V09.9990\" } }",
    "clip: a.wav\noutput: { file: x.mp3, transcript: { as: [vtt, lyrics], width: 32, lines: 2 } }",
    "clip: a.wav\noutput: { file: x.mp3, transcript: { as: podcasting2, segments: words } }",
    "clip: a.wav\noutput: { file: x.m4b, transcript: { as: file, reading_speed: \"17\" } }",
    "clip: a.wav\noutput: [{ file: x.mp3, transcript: [] }, { file: x.mov, transcript: file }]",
    "transcript: { file: keep, clock: item, speaker: Ann, offset: -120ms }" + end,
    "concat: [{ clip: a.wav, transcript: keep }]\ntranscript: keep\noutput: x.mp3",
    "clip: a.wav\noutput: { file: x.mp3, mp3: { preset: voice } }",
    "clip: a.wav\noutput: [{ file: x.AIF, id3: '2.3' }, { file: \"${n:-x.mp3}\", id3: 2.3 }]",
    "presets: { p: { mp3: V2 } }\nclip: a.wav\noutput: { file: x.mp3, preset: p, id3: 2.3 }",
    "clip: a.wav\noutput: { file: x.wav, channels: 5.1 }",
    "for_each: raw/*.wav\nconcat: [a.wav, \"${input}\"]\noutput: { folder: x, mp3: V2 }",
    "clip: a.wav\nchannels: left\noutput: { folder: x, codec: same }",
    "clip: a.wav\nchapters: keep\ninsert: [{ clip: b.wav, at: end-1s }]\noutput: x.mp3",
    "concat: [a.wav, { clip: b.wav, at: endless.end }, { clip: b.wav, at: 10m, name: endless }]\n"
      + "output: x.mp3",
    "needs: []" + end,
    ducked("{ under: voice, by: 0 dB }"), ducked("{ under: [voice, fx], by: 100.0 dB }"),
    ducked("{ under: voice, by: +12.5 dB, attack: 0s, hold: 10 samples, release: 0:02 }")
      + "\nsample_rate: 48 kHz",
    ducked("{ under: voice, by: 3 dB, threshold: -50 dB }"),
    ducked("{ under: voice, by: 3 dB, threshold: -0.5dB }"),
    "tracks: { a: { concat: [a.wav, b.wav], crossfade: 1s, duck: { under: b, by: 1 dB } }, b: b.wav }\n"
      + "output: x.mp3",
  ]

  private func lines(_ yaml: String) -> [Int] {
    let map = SourceMap()
    var bench = Bench()
    bench.texts = ["lib.yaml": "vars: { a: b }"]
    do throws(Diagnostics) {
      _ = try bench.load(yaml, into: map)
      return []
    } catch {
      return error.errors.compactMap { map.place(of: $0.origin)?.line }
    }
  }

  @Test("The schema refuses an error on the decoder's line, and nothing next to it")
  func snippets() throws {
    let all = Self.refused + Self.accepted
    let verdicts = try SchemaCase.verdicts(on: all.map { SchemaCase(name: $0, yaml: $0) })
    for (yaml, verdict) in zip(all, verdicts) {
      let lines = lines(yaml)
      let (base, core) = (verdict.base ?? [], verdict.core ?? [])
      if Self.accepted.contains(yaml) {
        #expect(lines == [] && base == [] && core == [], "\(yaml)\n\(verdict.messages ?? [])")
      } else {
        let isSeen = lines.allSatisfy { base.contains($0) && core.contains($0) }
        #expect(!lines.isEmpty && isSeen, "\(yaml)\n\(lines) \(base) \(core)")
      }
    }
  }

  @Test("Patterns of the long forms are those of their readers")
  func patterns() throws {
    let words = [
      "0", "1", "2.5", "9", "9.", "9.05", "9.989", "9.9899", "9.99", "9.999", "9.9990", "9.9991",
      "9.9999", "09.9", "10", "V2", "v9.5", "V10", "x", "128k", "128.5k", "0k",
    ]
    let presets = MP3Preset.allCases.map(\.rawValue) + ["V2", "loud"]
    func agree(_ notation: TextNotation<MP3Choice>, _ words: [String]) throws {
      let regex = try Regex(try #require(notation.pattern))
      for word in words {
        let isFine = (try? notation.parse(word)) != nil
        let isMatched = try regex.firstMatch(in: word) != nil
        #expect(isMatched == isFine, "'\(word)' and \(notation.form.name)")
      }
    }
    try agree(Values.lamePreset, presets)
    try agree(Values.wholeBitRate("cbr"), words)
    try agree(Values.vbr, words)
  }
}
