import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Lists of sound files beside outputs: `manifest`.
@Suite struct ManifestTests {
  private func manifests(_ yaml: String) throws -> [[JobManifest]] {
    try Bench().load(yaml).jobs.map { $0.manifests ?? [] }
  }

  @Test("A list is of the output before it, and all jobs of a loop may share it")
  func lists() throws {
    let found = try manifests(
      """
      for_each: raw/*.wav
      output:
        - { folder: out, flac: 16 bit }
        - { manifest: out/train.jsonl, form: nemo, text: "${input.stem}" }
        - { folder: out, mp3: V2 }
        - { manifest: out/metadata.csv, form: ljspeech, text: a, speaker: b, language: en }
      """)
    #expect(found.map { $0.map(\.output) } == [[0, 1], [0, 1], [0, 1]])
    #expect(found.map { $0.map(\.manifest.form) }.first == [.nemo, .ljspeech])
    #expect(found.map { $0.first?.text?.value } == ["ch1", "ch2", "ch10"])
    #expect(found.first?.last?.speaker?.value == "b")
  }

  @Test("Its texts are filled in by parts, or follow from the transcript")
  func texts() throws {
    let job = try #require(
      try Bench().load(
        """
        clip: a.wav
        split: { 0s: One, 30s: Two }
        output:
          - "${part.n}.wav"
          - { manifest: train.jsonl, form: nemo, text: "$${x} ${part.title}", speaker: "s${part.n}" }
        """
      ).jobs.first)
    #expect(
      try job.exports(assets: Bench().asset).utterances == [
        [Utterance("${x} One", speaker: "s1")], [Utterance("${x} Two", speaker: "s2")],
      ])
  }

  @Test("Impossible lists")
  func refusals() {
    // tidy: long because the screen stands here whole.
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { clip: a.wav, output: { manifest: a.jsonl, form: nemo } }
          b: { clip: a.wav, output: [b.wav, { manifest: b.jsonl }] }
          c: { clip: a.wav, output: [c.wav, { manifest: c.jsonl, form: kaldi }] }
          d: { clip: a.wav, output: [d.wav, { manifest: d.txt, form: nemo }] }
          e: { clip: a.wav, output: [e.wav, { manifest: train.jsonl, form: audiofolder }] }
          f: { clip: a.wav, split: { every: 1s }, output: ["${part.n}.wav", { manifest: "${part.n}.jsonl", form: nemo }] }
          g: { clip: a.wav, output: [g.wav, { manifest: g.jsonl, form: nemo, folder: out }] }
          h: { clip: a.wav, output: [{ manifest: h.jsonl, form: nemo }, h.wav] }
        """#),
      #"""
      job.yaml:2:29: error: a manifest without an output whose files it lists
          2 |   a: { clip: a.wav, output: { manifest: a.jsonl, form: nemo } }
            |                             ^
        help: add an output with sound, as "wav/${part.n:05}.wav"
      job.yaml:3:37: error: a manifest needs a 'form'
          3 |   b: { clip: a.wav, output: [b.wav, { manifest: b.jsonl }] }
            |                                     ^
        help: write 'form: nemo', or 'nemo', 'audiofolder', 'ljspeech' or 'commonvoice'
      job.yaml:4:64: error: 'kaldi' is no form of a manifest
          4 |   c: { clip: a.wav, output: [c.wav, { manifest: c.jsonl, form: kaldi }] }
            |                                                                ^~~~~
        help: write 'nemo', 'audiofolder', 'ljspeech' or 'commonvoice'
      job.yaml:5:49: error: a manifest of the form 'nemo' ends in .jsonl or .json
          5 |   d: { clip: a.wav, output: [d.wav, { manifest: d.txt, form: nemo }] }
            |                                                 ^~~~~
        help: write 'd.jsonl'
      job.yaml:6:49: error: a manifest of the form 'audiofolder' is called 'metadata.jsonl' or 'metadata.csv': readers look for that name
          6 |   e: { clip: a.wav, output: [e.wav, { manifest: train.jsonl, form: audiofolder }] }
            |                                                 ^~~~~~~~~~~
        help: put it into a folder of its own, under that name
      job.yaml:7:81: error: a manifest lists all parts, and its path depends on one
          7 |   f: { clip: a.wav, split: { every: 1s }, output: ["${part.n}.wav", { manifest: "${part.n}.jsonl", form: nemo }] }
            |                                                                                 ^~~~~~~~~~~~~~~~~
        help: leave the part out of it, as 'train.jsonl'
      job.yaml:8:70: error: unknown key 'folder'
          8 |   g: { clip: a.wav, output: [g.wav, { manifest: g.jsonl, form: nemo, folder: out }] }
            |                                                                      ^~~~~~
        help: 'folder' is a key of an output, not of a manifest
      job.yaml:9:30: error: a manifest with no output before it
          9 |   h: { clip: a.wav, output: [{ manifest: h.jsonl, form: nemo }, h.wav] }
            |                              ^
        help: write it behind the output whose files it lists
      """#)
  }

  @Test("A list shares its path with jobs that agree about its form, and with no other file")
  func conflicts() {
    var bench = Bench()
    bench.media.append("in.tsv")
    expect(
      bench.screen(
        #"""
        jobs:
          one: { clip: a.wav, output: [1.wav, { manifest: metadata.csv, form: audiofolder }] }
          two: { clip: a.wav, output: [2.wav, { manifest: ./metadata.csv, form: ljspeech }] }
          three: { clip: a.wav, output: [3.wav, { manifest: x.json, form: nemo }, { manifest: x.json, form: nemo }] }
          four: { clip: a.wav, output: [4.wav, { file: 4.json, json: sidecar }, { manifest: 4.json, form: nemo }] }
          five: { clip: in.tsv, output: [5.wav, { manifest: in.tsv, form: commonvoice }] }
        """#),
      #"""
      job.yaml:3:51: error: 'metadata.csv' is written as 'ljspeech', and by another job as 'audiofolder'
          3 |   two: { clip: a.wav, output: [2.wav, { manifest: ./metadata.csv, form: ljspeech }] }
            |                                                   ^~~~~~~~~~~~~~
        help: give both jobs one 'form', or each a manifest of its own
      job.yaml:2:51: note: the other one is here
          2 |   one: { clip: a.wav, output: [1.wav, { manifest: metadata.csv, form: audiofolder }] }
            |                                                   ^~~~~~~~~~~~
      job.yaml:4:87: error: the manifest 'x.json' is named twice in one job
          4 |   three: { clip: a.wav, output: [3.wav, { manifest: x.json, form: nemo }, { manifest: x.json, form: nemo }] }
            |                                                                                       ^~~~~~
        help: leave one of them out
      job.yaml:4:53: note: the other one is here
          4 |   three: { clip: a.wav, output: [3.wav, { manifest: x.json, form: nemo }, { manifest: x.json, form: nemo }] }
            |                                                     ^~~~~~
      job.yaml:5:85: error: two outputs at '4.json'
          5 |   four: { clip: a.wav, output: [4.wav, { file: 4.json, json: sidecar }, { manifest: 4.json, form: nemo }] }
            |                                                                                     ^~~~~~
        help: give one of them another name
      job.yaml:5:48: note: the other one is here
          5 |   four: { clip: a.wav, output: [4.wav, { file: 4.json, json: sidecar }, { manifest: 4.json, form: nemo }] }
            |                                                ^~~~~~
      job.yaml:6:53: error: output 'in.tsv' is a source
          6 |   five: { clip: in.tsv, output: [5.wav, { manifest: in.tsv, form: commonvoice }] }
            |                                                     ^~~~~~
        help: write to another path: a source is never overwritten
      job.yaml:6:17: note: it is read here
          6 |   five: { clip: in.tsv, output: [5.wav, { manifest: in.tsv, form: commonvoice }] }
            |                 ^~~~~~
      """#)
  }

  @Test("A list of files without a text is refused")
  func silent() {
    expect(
      Bench().exportScreen("clip: a.wav\noutput: [x.wav, { manifest: x.jsonl, form: nemo }]"),
      """
      job.yaml:2:29: error: 'job' has no transcript, from which 'x.jsonl' would take its texts
          2 | output: [x.wav, { manifest: x.jsonl, form: nemo }]
            |                             ^~~~~~~
        help: give the clip one, as 'transcript: talk.json', or the manifest a 'text'
      """)
  }
}
