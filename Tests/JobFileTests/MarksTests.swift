import MediaComposition
import MediaTime
import Testing

@testable import JobFile

/// Keys of Broadcast Wave, radio and loops. Every file lasts a minute.
@Suite struct MarksTests {
  @Test("'bwf', 'cart' and 'foreign' say what an output has over its source")
  func outputs() throws {
    let export = try #require(
      try Bench().exports(
        """
        clip: a.wav
        output:
          - file: x.wav
            bwf: { description: Side A, originator_reference: R1, loudness: measure }
            cart: { cut_id: "000123", category: SPOT, segue: end-1.5s, intro_end: 2s }
          - { file: y.wav, bwf: none }
          - { file: z.flac, foreign: keep }
          - w.wav
        """
      ).first)
    let marks = export.outputs.map(\.marks)
    let broadcast = try #require(marks[0]?.broadcast)
    #expect(broadcast.description == "Side A" && broadcast.originator == nil)
    #expect(broadcast.originatorReference == "R1" && broadcast.measuresLoudness)
    let cart = try #require(marks[0]?.cart)
    #expect(cart.texts == [.init(.cutID, "000123"), .init(.category, "SPOT")])
    #expect(
      cart.timers == [
        .init("SEGs", .init(Time(value: 3, timescale: 2), isFromEnd: true)),
        .init("INTe", .init(Time(value: 2, timescale: 1))),
      ])
    #expect(marks[1]?.removesBroadcast == true && marks[1]?.broadcast == nil)
    #expect(marks[2]?.keepsForeign == true && marks[3] == nil)
  }

  @Test("a clip's 'loop_points' are frames of its file, in the time behind its range")
  func loops() throws {
    func loops(_ yaml: String) throws -> [Range<Int64>]? {
      let export = try #require(try Bench().exports(yaml + "\noutput: x.wav").first)
      return export.composition.assets.first?.marks?.givenLoops
    }
    let rate: Int64 = 48_000
    #expect(
      try loops("clip: a.wav 10s..40s\nspeed: 1.5\nloop_points: 3s..7s")
        == [13 * rate..<17 * rate])
    #expect(
      try loops("clip: a.wav\nloop_points: { from: 3s, duration: 4s }") == [3 * rate..<7 * rate])
    #expect(try loops("clip: a.wav\nloop_points: none") == [])
    #expect(try loops("clip: a.wav") == nil)
    #expect(
      Bench().exportScreen("concat: [a.wav, b.wav]\nloop_points: 3s..7s\noutput: x.wav")
        .contains("which is not one clip"))
    #expect(
      Bench().exportScreen("clip: a.wav\nloop_points: 3s..70s\noutput: x.wav").contains("error"))
  }

  @Test(
    "what no output has is refused by name",
    arguments: [
      ("{ file: x.mp3, bwf: { description: A } }", "'bwf' on an output that is MP3"),
      ("{ file: x.flac, cart: { title: A } }", "'cart' on an output that is FLAC"),
      ("{ file: x.opus, foreign: keep }", "'foreign' on an output that is Opus"),
      ("{ file: x.wav, bwf: yes please }", "'yes please' is no 'bext'"),
      ("{ file: x.wav, bwf: { originator: \(String(repeating: "é", count: 17)) } }", "34 bytes"),
      ("{ file: x.wav, bwf: { loudness: -23 LUFS } }", "with loudness"),
      ("{ file: x.wav, cart: {} }", "a cart without keys"),
      ("{ file: x.wav, cart: { segue: talk.end } }", "'talk.end' is no time of an output"),
      ("{ file: x.wav, cart: { segue: 100 samples } }", "'100 samples' is no time of an output"),
      ("{ file: x.wav, cart: { start_date: 2026/02/30 } }", "'2026/02/30' is no day"),
      ("{ file: x.wav, cart: { end_date: 29.11.26 } }", "'29.11.26' is no day"),
      ("{ file: x.wav, cart: { start_time: '24:00:00' } }", "'24:00:00' is no time of day"),
      ("{ file: x.flac, foreign: drop }", "'drop' is nothing that becomes of foreign chunks"),
    ])
  func refusals(output: String, message: String) {
    let screen = Bench().screen("clip: a.wav\noutput: \(output)\n")
    #expect(screen.contains(message), "\(screen)")
  }
}
