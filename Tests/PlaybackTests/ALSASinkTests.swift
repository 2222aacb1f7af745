import ALSA
import ExportEngine
import Glibc
import MediaComposition
import TestSupport
import Testing

@testable import Playback

@Suite struct ALSASinkTests {
  /// Plays a fixture through the tests' sound card, and gives what that has played.
  private func heard(_ definition: String, unplugging: Bool = false) throws -> [Float] {
    let folder = TestFolder()
    let card =
      "type avpaced heard \"\(folder.path("heard"))\" log \"\(folder.path("log"))\" "
      + definition.replacing("$", with: folder.root)
    let configuration = try SoundCard.configuration(["card": card], in: folder)
    let player = try Player(PlayerItem.ofFixture("feelings.ogg")) { request throws(Failure) in
      do throws(ALSAError) {
        return ALSASink(
          try PCMDevice.open(
            "card", direction: .playback,
            request: PCMRequest(
              sampleRate: request.sampleRate, channelCount: request.channelCount),
            waker: PCMWaker(), configuration: configuration))
      } catch {
        throw Failure(.mendMachine, "\(error)")
      }
    }
    player.play()
    if unplugging {
      while access(folder.path("gone"), F_OK) != 0 { usleep(2000) }
      unlink(folder.path("gone"))
    }
    try player.waitUntilPaused()
    let bytes = try readFile(folder.path("heard"))
    return bytes.withUnsafeBytes { Array($0.assumingMemoryBound(to: Float.self)) }
  }

  @Test(
    "through ALSA, what is heard is the export, also where the device runs dry or sleeps",
    arguments: ["", "xrun_at 50000", "suspend_at 50000", "suspend_at 50000 resume yes"])
  func content(mishap: String) throws {
    let expected = try PlayerItem.ofFixture("feelings.ogg").exported()
    let isEqual = try heard("speed 50 stall yes " + mishap) == expected
    #expect(isEqual)
  }

  @Test("unplugged and plugged in again, it goes on where it was heard last")
  func unplugging() throws {
    // What the device had inside is told by its last delay, which was before it was gone: some of
    // what was heard may come again, and nothing is left out.
    let expected = try PlayerItem.ofFixture("feelings.ogg").exported()
    let heard = try heard(
      "speed 50 stall yes unplug_at 50000 unplugged \"$/gone\"", unplugging: true)
    let repeated = heard.count - expected.count
    #expect(repeated >= 0 && repeated <= 2 * 9600)
    let startsAlike = heard[..<100_000] == expected[..<100_000]
    let endsAlike = heard[(100_000 + repeated)...] == expected[100_000...]
    #expect(startsAlike && endsAlike)
  }

  @Test("channels are put where the device has them, by what it tells or by what is usual")
  func channels() {
    func sources(_ count: Int, _ positions: [String]? = nil) -> [Int]? {
      ChannelReordering(for: count, positions: positions, sampleSize: 4)?.sources
    }
    #expect(sources(6) == [0, 1, 4, 5, 2, 3])
    #expect(sources(8) == [0, 1, 4, 5, 2, 3, 6, 7])
    #expect(sources(5) == [0, 1, 3, 4, 2])
    #expect(sources(6, ["FL", "FR", "SL", "SR", "FC", "LFE"]) == [0, 1, 4, 5, 2, 3])
    #expect(sources(6, ["FL", "FR", "FC", "LFE", "RL", "RR"]) == nil)
    // Neither stereo nor a place that nobody knows is touched.
    #expect(sources(2) == nil)
    #expect(sources(4) == nil)
    #expect(sources(6, ["FL", "FR", "TC", "LFE", "RL", "RR"]) == nil)
    let frames: [Int16] = Array(0..<12)
    guard let reordering = ChannelReordering(for: 6, positions: nil, sampleSize: 2) else { return }
    let moved = frames.withUnsafeBytes { bytes -> [Int16] in
      guard let start = bytes.baseAddress else { return [] }
      let out = reordering.reordered(start, count: 2).assumingMemoryBound(to: Int16.self)
      return (0..<12).map { out[$0] }
    }
    #expect(moved == [0, 1, 4, 5, 2, 3, 6, 7, 10, 11, 8, 9])
  }
}

@Suite struct DeckEndTests {
  @Test("a player that is paused, started and released at any moment ends, and goes on in between")
  func ends() throws {
    let item = try PlayerItem.ofFixture("voice-8k.wav")
    var dice = Dice(11)
    for _ in 0..<60 {
      let device = MemoryDevice(rate: item.sampleRate, channels: 1, pace: 8000)
      let player = try Player(item, opening: device.opener)
      player.play()
      usleep(UInt32(dice.number(0..<6000)))
      player.pause()
      if dice.next() & 1 == 0 {
        player.play()
        let heard = device.bytes.count
        let deadline = ContinuousClock.now + .seconds(20)
        while device.bytes.count <= heard { try #require(ContinuousClock.now < deadline) }
        player.pause()
      }
    }
  }
}
