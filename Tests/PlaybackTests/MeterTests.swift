import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine
@testable import Playback

@Suite struct MeterTests {
  private let folder = TestFolder()

  private func item(_ effects: String..., rate: Int = 48_000) throws -> PlayerItem {
    let path = folder.path("made.wav")
    try Tool.succeed(
      "sh", "-c",
      "sox -n -r \(rate) -c 2 -e float -b 32 \"$0\" \(effects.joined(separator: " "))", path)
    return try PlayerItem(contentsOf: FilePath(path), library: MediaLibrary())
  }

  @Test(
    "a sine of -20 dBFS reads -20.0 peak and -23.0 mean, all the time",
    arguments: [440, 1000, 3150])
  func sine(frequency: Int) throws {
    // Longer than is looked at, by more than a device holds: however long ago it said where it is.
    let item = try item("synth 1 sine \(frequency) vol 0.1")
    let device = MemoryDevice(holdingAt: 0)
    let player = try Player(item, opening: device.opener)
    player.play()
    for place in stride(from: 480, through: 24_000, by: 480) {
      device.goOn(to: place)
      try device.waitUntilPlayed(place)
      var meters: [LevelReading] = []
      // None where all that is rendered may have been heard by now.
      try wait(until: "meters show something") {
        meters = player.meters.channels
        return meters.count == 2
      }
      for channel in 0..<2 {
        let (peak, mean) = (meters[channel].peakPower, meters[channel].averagePower)
        guard abs(peak + 20) >= 0.1 || abs(mean + 23.01) >= 0.1 else { continue }
        Issue.record("channel \(channel) at \(place): \(peak), \(mean)")
        return
      }
    }
    player.pause()
    #expect(player.peakPower(forChannel: 0) == LevelReading.silence)
  }

  @Test(
    "a burst is in the meters when its first sample is heard, and no more than 50 ms before",
    arguments: [44_100, 48_000], [Int64(0), 1, 1023, 1024, 5000])
  func burst(rate: Int, place: Int64) throws {
    let item = try item(
      "synth 0.05 sine 1000 vol 0.5 pad \(place)s 0.1", rate: rate)
    // A device that takes nothing: nothing is heard, and all is to be seen.
    let player = try Player(item, opening: MemoryDevice(rate: rate, buffer: 0).opener)
    player.play()
    try wait(until: "the burst is rendered") {
      player.engine.state.withLock { $0.meters.last?.end ?? 0 } >= place + 2048
    }
    let frames = player.engine.state.withLock { $0.meters }
    let shown = try #require(frames.first { $0.channels[0].peak > 0.01 })
    let sample = try #require(try item.exported().firstIndex { abs($0) > 0.01 })
    let begin = Int64(sample / 2)
    // What the meters show is of the frames up to `end`, while these are heard.
    let start = shown.end - Int64(shown.channels[0].count)
    #expect(start <= begin && begin < shown.end)
    #expect(begin - start <= Int64(rate / 20))
    player.pause()
  }

  @Test("the meters of a stretch have its highest peaks and its mean power")
  func joins() {
    func sum(_ peak: Float, _ squares: Double) -> LevelSum {
      LevelSum(peak: peak, squares: squares, count: 100)
    }
    var frame = MeterFrame(
      end: 100, channels: [sum(0.9, 20)], truePeaks: [1.2], tracks: [nil, sum(0.5, 2)],
      reductions: [GainReduction(.duck, gain: -12), GainReduction(.limiter)])
    frame.append(
      MeterFrame(
        end: 200, channels: [sum(0.1, 0)], truePeaks: [0.1], tracks: [sum(0.1, 1), nil],
        reductions: [GainReduction(.duck, gain: -3), GainReduction(.limiter, gain: -1)],
        loudness: LoudnessReading(integrated: -20)))
    #expect(frame.end == 200)
    #expect(frame.channels == [LevelSum(peak: 0.9, squares: 20, count: 200)])
    #expect(frame.truePeaks == [1.2])
    #expect(frame.tracks == [sum(0.1, 1), sum(0.5, 2)])
    #expect(
      frame.reductions == [
        GainReduction(.duck, gain: -12), GainReduction(.limiter, gain: -1),
      ])
    #expect(frame.loudness.integrated == -20)
    // Another item has other channels.
    frame.append(MeterFrame(end: 300, channels: [sum(0.1, 1), sum(0.2, 1)]))
    #expect(frame.channels.map(\.peak) == [0.1, 0.2])
  }

  @Test("a seldom look at the meters misses no peak of the last second")
  func seldom() throws {
    let item = try item("synth 0.002 sine 1000 vol 0.5 pad 0.3 0.3")
    let player = try Player(item, opening: MemoryDevice(rate: item.sampleRate).opener)
    var place = Player.MeterPlace()
    #expect(player.meters(since: &place) == nil)
    for _ in 0..<2 {
      player.seek(to: .zero)
      player.play()
      try player.waitUntilPaused()
      let meters = try #require(player.meters(since: &place))
      #expect(abs(meters.channels[0].peakPower + 6.02) < 0.1)
      // Each once.
      #expect(player.meters(since: &place) == nil)
    }
  }

  @Test(
    "at any speed a short peak and all of the loudness are in the meters",
    arguments: [100, 150, 200])
  func speeds(percent: Int) throws {
    // A click in half a second of a sine.
    let item = try item(
      "synth 2 sine 1000 vol 0.1 : synth 0.001 sine 1000 vol 0.9 : synth 2 sine 1000 vol 0.1")
    let device = MemoryDevice(rate: item.sampleRate, pace: Double(item.sampleRate))
    let player = try Player(item, opening: device.opener)
    player.speed = PlaybackSpeed(percent: percent)
    player.play()
    var place = Player.MeterPlace()
    var (peak, last) = (0.0, LoudnessReading())
    try wait(until: "the player has paused") {
      if let meters = player.meters(since: &place) {
        peak = max(peak, meters.truePeaks.max() ?? 0)
        last = meters.loudness
      }
      return player.timeControlStatus == .paused
    }
    #expect(peak > 0.5)
    #expect(abs(try #require(last.integrated) + 20) < 0.3)
  }

  @Test("sound without metering is played all the same, and measured again when enabled")
  func unmeasured() throws {
    let item = try item("synth 0.5 sine 1000 vol 0.5")
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    var place = Player.MeterPlace()
    #expect(player.isMeteringEnabled)
    for isMeasured in [false, true] {
      player.isMeteringEnabled = isMeasured
      player.seek(to: .zero)
      player.play()
      try player.waitUntilPaused()
      let meters = try #require(player.meters(since: &place))
      #expect(meters.channels.isEmpty != isMeasured)
      #expect(meters.tracks.isEmpty != isMeasured)
      #expect(isMeasured || meters.loudness.truePeak == 0)
    }
    let whole = try item.exported()
    let isWhole = device.floats == whole + whole
    #expect(isWhole)
  }

  @Test("the integrated loudness is that of what was heard, and not of what a jump discards")
  func heardLoudness() throws {
    // Two loud seconds, and two that are softer by 20 dB.
    let path = folder.path("steps.wav")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
      "sine=frequency=1000:sample_rate=48000:duration=4,volume=volume='if(lt(t,2),4,0.4)':eval=frame",
      "-af", "pan=stereo|c0=c0|c1=c0", "-c:a", "pcm_f32le", path)
    let item = try PlayerItem(contentsOf: FilePath(path), library: MediaLibrary())
    let device = MemoryDevice(holdingAt: 0)
    let player = try Player(item, opening: device.opener)
    player.play()
    try wait(until: "half a second of the loud part is rendered") {
      player.device.bufferedSeconds > 0.38
    }
    // The filter changes between two of its frames.
    player.seek(to: Time(value: 21, timescale: 10))
    try device.waitUntilDropped()
    device.goOn()
    try player.waitUntilPaused()
    var place = Player.MeterPlace()
    let loudness = try #require(player.meters(since: &place)).loudness
    // A sine of 1 kHz on both channels has its level (BS.1770-4): 1/8 of full scale, and 0.4.
    let level = LevelReading.decibels(0.125 * 0.4)
    #expect(abs(try #require(loudness.integrated) - level) < 0.1)
    #expect(abs(LevelReading.decibels(loudness.truePeak) - level) < 0.1)
  }
}
