import Testing

@testable import JobFile

/// What a word was meant to be.
@Suite struct WordScreens {
  @Test(
    "A word is suggested that stands in place of a file, or has the written one as a part",
    arguments: [
      ("clip: a.wav\nchapters: flies", "did you mean 'files'?"),
      ("clip: a.wav\nsplit: chapter", "did you mean 'chapters'?"),
      ("clip: a.wav\neffects: [noise]", "did you mean 'denoise'?"),
      ("clip: a.wav\neffects: [{ hum: 50 Hz }]", "did you mean 'dehum'?"),
      ("clip: a.wav\nspeed: 150", "speeds go from 1/32 to 32; of 100 it is '150 %'"),
      ("clip: a.wav\nspeed: 5000", "speeds go from 1/32 to 32"),
      ("clip: a.wav\nduck: { under: x, by: 3 dB }", "'duck' belongs to a track: write it beside"),
    ])
  func wordsMeant(_ yaml: String, _ help: String) {
    let screen = Bench().screen(yaml + "\noutput: \"x${part.n:-}.m4b\"")
    #expect(screen.contains("  help: \(help)"), "\(screen)")
  }

  @Test("AAC of libfdk-aac without its name is corrected", arguments: ["he 48k", "vbr 4"])
  func libraryOfAAC(_ setting: String) {
    let screen = Bench().screen("clip: a.wav\noutput: { file: x.m4a, aac: \(setting) }")
    #expect(screen.contains("  help: write 'fdk \(setting)'"), "\(screen)")
  }
}
