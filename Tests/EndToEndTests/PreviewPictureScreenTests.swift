import TestSupport
import Testing

@Suite("avjob preview, pictures") struct PreviewPictureScreenTests {
  /// A job of the seconds 1 to 121 of a video whose first two seconds are black and the others white.
  private func stage() throws -> SoundStage {
    let sound = try SoundStage("speed 1")
    try sound.stage.share(
      """
      ffmpeg -v error -f lavfi -i color=black:s=64x36:r=25:d=2 -f lavfi -i color=white:s=64x36:r=25:d=120 \\
        -f lavfi -i sine=300:r=48000:d=122 -filter_complex '[0][1]concat[v]' -map '[v]' -map 2 \\
        -c:v libx264 -preset ultrafast -g 50 -pix_fmt yuv420p -c:a aac talk.mp4
      ffmpeg -v error -f lavfi -i color=red:s=64x36 -frames:v 1 red.png
      """)
    try sound.stage.write("job.yaml", "clip: talk.mp4 1s..121s\noutput: out.mp4\n")
    return sound
  }

  private static let colours = ["NO_COLOR": "", "COLORTERM": "truecolor"]

  @Test("the picture of the place is drawn, keys go by pictures, and marks have their numbers")
  func blocks() throws {
    let sound = try stage()
    let terminal = try sound.start("job.yaml", environment: Self.colours)
    try terminal.wait(for: "playing", "▀▀▀")
    terminal.type(" \u{1B}[Hv")
    try terminal.wait(for: "frame 26 at 0:00.040")
    terminal.type("VV")
    try terminal.wait(for: "this is the first picture")
    terminal.type("m")
    try terminal.wait(for: "mark 1 at 0:00.000, frame 25; Enter names it")
    terminal.type("g2s\r")
    // White.
    try terminal.wait(for: "at 0:02.000000  frame 75", "\u{1B}[38;2;25")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(
      terminal.transcript.contains("marks of job:\r\n0.000000\t0.000000\tmark 1 (frame 25)\r\n"))
  }

  @Test("kitty gets the pixels, and forgets them at the end")
  func kitty() throws {
    let sound = try stage()
    let terminal = try sound.start(
      "job.yaml", environment: Self.colours.merging(["TERM": "xterm-kitty"]) { $1 })
    try terminal.wait(for: "\u{1B}_Ga=T,U=1,f=24,q=2,i=201,s=64,v=36,c=", "\u{10EEEE}")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.transcript.contains("\u{1B}_Ga=d,d=I,i=201,q=2\u{1B}\\"))
  }

  @Test("a still is shown, and without colours there is nothing")
  func stills() throws {
    let sound = try stage()
    try sound.stage.write(
      "still.yaml",
      """
      clip: talk.mp4 1s..121s
      output: { file: still.mp4, video: { images: { 0s: red.png, 1:00: red.png }, waveform: true } }

      """)
    let terminal = try sound.start("still.yaml", environment: Self.colours)
    try terminal.wait(for: "\u{1B}[38;2;25", "▀▀▀")
    terminal.type("v")
    try terminal.wait(for: "picture 2 of 2 at 1:00.000")
    terminal.type("v")
    try terminal.wait(for: "this is the last picture")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    let plain = try sound.start("still.yaml", environment: ["COLORTERM": "truecolor"])
    try plain.wait(for: "playing", "space pause")
    plain.type("vq")
    #expect(plain.wait() == 0)
    #expect(!plain.transcript.contains("▀"))
  }
}
