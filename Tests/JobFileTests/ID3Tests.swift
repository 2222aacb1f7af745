import MPEGAudio
import MediaComposition
import Testing
import TestSupport

@testable import JobFile

/// The version of an MP3's tag.
@Suite struct ID3Tests {
  @Test("The version of the tag is the output's, for a format by key or by extension")
  func versions() throws {
    let outputs = try Bench().exports(
      #"""
      clip: intro.mp3
      output:
        - { file: x.mp3, id3: 2.3 }
        - { file: y.mp3, mp3: V0, id3: "2.4" }
        - z.mp3
        - { file: x.aiff, id3: 2.3 }
      """#
    ).flatMap(\.outputs)
    #expect(outputs.map(\.id3) == [.v23, .v24, nil, .v23])
    var bench = Bench()
    bench.assets["intro.mp3"] = .fake("intro.mp3", seconds: 1)
    bench.assets["intro.mp3"]?.codec = "mp3"
    #expect(
      try bench.exports(
        #"""
        clip: intro.mp3
        output: { file: x.mp3, codec: same, id3: 2.3 }
        """#
      ).flatMap(\.outputs).map(\.id3) == [.v23])
  }

  @Test("A version that is none, and an output that has no such tag")
  func refusals() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: [{ file: x.mp3, id3: 2.2 }, { file: x.flac, id3: 2.3 }]
        """#),
      #"""
      job.yaml:2:30: error: '2.2' is no version of ID3 that is written
          2 | output: [{ file: x.mp3, id3: 2.2 }, { file: x.flac, id3: 2.3 }]
            |                              ^~~
        help: write '2.4', or '2.3' for old players
      job.yaml:2:53: error: 'id3' on an output that is FLAC: it is the tag of MP3 and AIFF
          2 | output: [{ file: x.mp3, id3: 2.2 }, { file: x.flac, id3: 2.3 }]
            |                                                     ^~~
        help: leave it out
      """#)
  }

  @Test("An output that only its clip shows to be no MP3")
  func sameAsClip() {
    expect(
      Bench().exportScreen(
        #"""
        clip: a.wav
        output: { file: x.wav, codec: same, id3: 2.3 }
        """#),
      #"""
      job.yaml:2:37: error: 'id3' on an output that is WAV: it is the tag of MP3 and AIFF
          2 | output: { file: x.wav, codec: same, id3: 2.3 }
            |                                     ^~~
        help: leave it out
      """#)
  }
}
