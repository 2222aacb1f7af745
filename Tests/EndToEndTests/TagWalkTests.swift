import TestSupport
import Testing

/// All tags and chunks of media in many formats, on their way into all formats (`Tests/Rigs/tagwalk.py`).
@Suite struct TagWalkTests {
  @Test("every tag and chunk of a source arrives in each output, or is named as left out")
  func walk() throws {
    let stage = Stage()
    let fixtures = [
      "feelings.ogg", "lame-testcase.mp3", "librivox-sonnet.mp3", "voice-vbr.mp3", "camera.ogv",
      "blank_video.m4v", "voice-8k.wav", "sweep.mp3",
    ]
    let result = try Tool.run(
      [
        "/usr/bin/python3", Fixture.path("../Tests/Rigs/tagwalk.py"), Command.path,
        stage.folder.root,
      ] + fixtures.map { Fixture.path($0) })
    #expect(result.text == "\n", "\(result.errors)")
    #expect(result.status == 0)
  }
}
