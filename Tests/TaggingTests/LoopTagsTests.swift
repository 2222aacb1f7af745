import Testing

@testable import Tagging

@Suite("Classes of facts, and loops in tags") struct LoopTagsTests {
  private func loop(_ tags: [String: String]) -> Range<Int64>? {
    LoopTags(
      tags.map { (key: $0.key, value: $0.value) }, sampleRate: 48_000, frameCount: 480_000)?.frames
  }

  @Test("a loop has a start with a length or an end, under any of its keys")
  func spellings() {
    #expect(loop(["LOOPSTART": "144000", "LOOPLENGTH": "48000"]) == 144_000..<192_000)
    #expect(loop(["loop_start": "144000", "Loop-End": "192000"]) == 144_000..<192_000)
    #expect(loop(["LoopStart": "0:03.5", "LOOPEND": "0:00:04"]) == 168_000..<192_000)
    #expect(loop(["LOOPSTART": "144000"]) == 144_000..<480_000)
    // A length one too long is clipped to the sound.
    #expect(loop(["LOOPSTART": "0", "LOOPLENGTH": "480001"]) == 0..<480_000)
    for (length, isShortened) in [
      ("480000", false), ("480001", true), ("\(Int64.max)", true),
    ] {
      let tags = [(key: "LOOPSTART", value: "0"), (key: "LOOPLENGTH", value: length)]
      let found = LoopTags(tags, sampleRate: 48_000, frameCount: 480_000)
      #expect(found?.isShortened == isShortened, "\(length)")
    }
  }

  @Test(
    "what is no loop is none",
    arguments: [
      ["LOOPLENGTH": "48000"], ["LOOPSTART": "480000"], ["LOOPSTART": "-1"],
      ["LOOPSTART": "5", "LOOPEND": "5"], ["LOOPSTART": "1:2:3:4"], ["LOOPSTART": "1:x"],
      ["LOOPSTART": "1:0.0000000001"], ["LOOPSTART": "99999999999999999999"],
      ["LOOPSTART": "5", "LOOPLENGTH": "0"],
    ])
  func refusals(tags: [String: String]) {
    #expect(loop(tags) == nil)
  }

  @Test("one table has the class of each tag and of each chunk")
  func classes() {
    #expect(
      TagClass(of: "title") == .content && TagClass(of: "TIME_REFERENCE") == .place(.timeReference))
    #expect(TagClass(of: "Loop_Start") == .place(.loop))
    #expect(TagClass(of: "liq_cue_out") == .place(.seconds(isEnd: true)))
    #expect(TagClass(of: "liq_amplify") == .level && TagClass(of: "UMID") == .samples)
    #expect(TagClass(ofChunk: "bext") == .place(.marks) && TagClass(ofChunk: "PEAK") == .samples)
    #expect(TagClass(ofChunk: "LIST INFO") == .content && TagClass(ofChunk: "data") == .file)
    #expect(TagClass(ofChunk: "axml") == .unknown && TagClass(ofChunk: "LIST wxyz") == .unknown)
  }
}
