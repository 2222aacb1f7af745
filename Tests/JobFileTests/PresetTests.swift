import MPEGAudio
import MediaComposition
import Testing
import TestSupport

@testable import JobFile

/// Named sets of an output's keys: `preset`.
@Suite struct PresetTests {
  private func outputs(_ yaml: String) throws -> [Output] {
    try Bench().exports(yaml).flatMap(\.outputs)
  }

  @Test("An audiobook for ACX has its format and its level, and is checked")
  func audiobook() throws {
    let yaml = """
      for_each: raw/*.wav
      concat: [a.wav ..750ms, "${input}", a.wav ..3s]
      output: { file: "acx/${n:02} ${input.stem}.mp3", preset: acx-audiobook }
      """
    let outputs = try outputs(yaml)
    #expect(outputs.map(\.path) == ["acx/01 ch1.mp3", "acx/02 ch2.mp3", "acx/03 ch10.mp3"])
    for output in outputs {
      #expect(output.format == .mp3(try MP3Settings(parsing: "cbr 192k")))
      #expect(output.sampleRate == 44_100 && output.channelLayout == .mono)
      #expect(output.loudness?.specification == "acx")
      #expect(output.conform?.map(\.name) == ["acx"])
    }
    expect(Bench().screen(yaml), "")
  }

  @Test("Every preset that is built in is the same as its keys written out")
  func builtIn() throws {
    for preset in OutputPreset.all {
      let keys = preset.keys.map { "\($0.key): \($0.text)" }.joined(separator: ", ")
      let named = try outputs("clip: a.wav\noutput: { folder: x, preset: \(preset.name) }")
      var written = try outputs("clip: a.wav\noutput: { folder: x, \(keys) }")
      #expect(named.count == 1)
      written[0].origin = named[0].origin
      // These are written in the preset's place.
      written[0].loudness?.origin = named[0].loudness?.origin ?? .unknown
      written[0].conform = written[0].conform?.map { request in
        ConformRequest(request.name, origin: named[0].conform?.first?.origin ?? .unknown)
      }
      if let origins = named[0].marks?.origins { written[0].marks?.origins = origins }
      #expect(named == written, "\(preset.name)")
      #expect(named[0].path.extension == OutputPreset.fileExtension(of: preset.name))
    }
    #expect(OutputPreset.fileExtension(of: "acx") == nil)
    #expect(Set(OutputPreset.all.map(\.name)).count == OutputPreset.all.count)
  }

  @Test("A key beside a preset wins, and so does a format; the file has presets of its own")
  func own() throws {
    let outputs = try outputs(
      """
      vars: { rate: 48k }
      presets:
        small: { mp3: "abr ${rate}", channels: mono, chapters: [] }
        loud: { mp3: { vbr: 0, quality: 2 }, id3: 2.3 }
      clip: a.wav
      output:
        - { file: 1.mp3, preset: small }
        - { file: 2.mp3, preset: small, channels: stereo, chapters: file }
        - { file: 3.mp3, preset: small, mp3: V9 }
        - { file: 4.flac, preset: small, flac: 16 bit }
        - { file: 5.mp3, preset: loud }
        - { file: 6.m4b, preset: audiobook, sample_rate: 48 kHz }
      """)
    let abr = Output.Format.mp3(try MP3Settings(parsing: "abr 48k"))
    #expect(
      outputs.map(\.format) == [
        abr, abr, .mp3(try MP3Settings(parsing: "V9")), .flac(bitDepth: 16),
        outputs[4].format, .m4a(bitRate: 64_000),
      ])
    #expect(
      outputs.map(\.channelLayout) == [.mono, .stereo, .mono, .mono, .stereo, .mono])
    #expect(outputs.map(\.chapters.inFile) == [false, true, false, false, true, true])
    #expect(outputs[4].id3 == .v23)
    #expect(outputs[5].sampleRate == 48_000)
  }

  @Test("What goes into a WAV stays with another depth of it, and goes with another format")
  func formatsOwn() throws {
    let outputs = try outputs(
      """
      clip: a.wav
      output:
        - { file: 1.wav, preset: radio }
        - { file: 2.wav, preset: radio, wav: 16 bit }
        - { file: 3.flac, preset: radio, flac: 16 bit }
        - { file: 4.wav, preset: radio, bwf: none }
        - { file: 5.flac, preset: archive }
      """)
    #expect(outputs.map { $0.marks?.broadcast != nil } == [true, true, false, false, false])
    #expect(outputs[4].marks?.keepsForeign == true)
  }

  @Test("A preset of the file may be another one in each job")
  func variables() throws {
    let outputs = try outputs(
      """
      presets: { numbered: { mp3: "abr ${n}0k" } }
      for_each: [raw/ch1.wav, raw/ch2.wav]
      output: { file: "${n}.mp3", preset: "${kind:-numbered}", sample_rate: 24 kHz }
      """)
    #expect(
      outputs.map(\.format) == [
        .mp3(try MP3Settings(parsing: "abr 10k")), .mp3(try MP3Settings(parsing: "abr 20k")),
      ])
  }

  @Test("Presets that are not there, that are built in, and that cannot be")
  func refusals() {
    // tidy: long because the screen stands here whole.
    expect(
      Bench().screen(
        #"""
        presets:
          archive: { mp3: V2 }
          empty: {}
          wrong: { file: x.mp3, mp3: X2, gain: 3 dB, chanels: mono }
          two: { mp3: V2, flac: 16 bit }
          text: V2
        clip: a.wav
        output:
          - { file: 1.mp3, preset: podcst }
          - { file: 2.mp3, preset: V2 }
          - { file: 3.mp3, preset: smaller }
          - { file: 4.flac, preset: podcast }
          - { folder: x, preset: wrong }
          - { file: 5.mp3, preset: [a] }
          - { preset: podcast }
          - { folder: y, preset: nothing-of-the-kind }
        """#),
      #"""
      job.yaml:2:3: error: 'archive' is a preset of the language's own
          2 |   archive: { mp3: V2 }
            |   ^~~~~~~
        help: choose another name: what is built in means the same in every file
      job.yaml:3:10: error: a preset without keys
          3 |   empty: {}
            |          ^
        help: write { mp3: V2 }
      job.yaml:4:12: error: unknown key 'file'
          4 |   wrong: { file: x.mp3, mp3: X2, gain: 3 dB, chanels: mono }
            |            ^~~~
        help: 'file' is a key of a source, not of a preset
      job.yaml:4:30: error: 'X2' is no MP3 setting: write V0 … V9, abr 96k, cbr 128k, or one of medium, standard, extreme, insane, phone, phon+, lw, mw-eu, sw, mw-us, voice, fm, radio, tape, hifi, cd, studio
          4 |   wrong: { file: x.mp3, mp3: X2, gain: 3 dB, chanels: mono }
            |                              ^~
      job.yaml:4:34: error: unknown key 'gain'
          4 |   wrong: { file: x.mp3, mp3: X2, gain: 3 dB, chanels: mono }
            |                                  ^~~~
        help: 'gain' is a key of an item, not of a preset
      job.yaml:4:46: error: unknown key 'chanels'
          4 |   wrong: { file: x.mp3, mp3: X2, gain: 3 dB, chanels: mono }
            |                                              ^~~~~~~
        help: did you mean 'channels'?
      job.yaml:5:19: error: 'flac' beside 'mp3'
          5 |   two: { mp3: V2, flac: 16 bit }
            |                   ^~~~
        help: an output has one format; 'output' may be a list
      job.yaml:5:10: note: the other one is here
          5 |   two: { mp3: V2, flac: 16 bit }
            |          ^~~
      job.yaml:6:9: error: a preset is a map, not a text
          6 |   text: V2
            |         ^~
        help: write { mp3: V2, channels: mono }
      job.yaml:9:28: error: there is no preset 'podcst'
          9 |   - { file: 1.mp3, preset: podcst }
            |                            ^~~~~~
        help: did you mean 'podcast'?
      job.yaml:10:28: error: there is no preset 'V2'
         10 |   - { file: 2.mp3, preset: V2 }
            |                            ^~
        help: 'V2' is a setting of MP3: write 'mp3: V2'
      job.yaml:11:28: error: there is no preset 'smaller'
         11 |   - { file: 3.mp3, preset: smaller }
            |                            ^~~~~~~
        help: write one of podcast, podcast-stereo, apple-podcasts, acx-audiobook, librivox, audiobook, voice-memo, radio, archive, archive-bwf, empty, text, two, wrong, or put it under 'presets'
      job.yaml:12:13: error: the preset is 'mp3', which does not go into '.flac'
         12 |   - { file: 4.flac, preset: podcast }
            |             ^~~~~~
        help: write '4.mp3'
      job.yaml:14:28: error: 'preset' is a text, not a list
         14 |   - { file: 5.mp3, preset: [a] }
            |                            ^
        help: write a preset's name, as 'podcast'
      job.yaml:15:5: error: an output needs a 'file' or a 'folder'
         15 |   - { preset: podcast }
            |     ^
        help: add 'file: out/episode.mp3', or 'folder: out' for files with the input's name
      job.yaml:16:26: error: there is no preset 'nothing-of-the-kind'
         16 |   - { folder: y, preset: nothing-of-the-kind }
            |                          ^~~~~~~~~~~~~~~~~~~
        help: write one of podcast, podcast-stereo, apple-podcasts, acx-audiobook, librivox, audiobook, voice-memo, radio, archive, archive-bwf, empty, text, two, wrong, or put it under 'presets'
      """#)
  }
}
