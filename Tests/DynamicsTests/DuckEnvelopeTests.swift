import Dynamics
import Glibc
import TestSupport
import Testing

@Suite("The envelope of a duck")
struct DuckEnvelopeTests {
  private func gains(
    _ envelope: DuckEnvelope, over frames: Range<Int64>, sounding: [Range<Int64>]
  ) -> [Float] {
    let made = UnsafeMutablePointer<Float>.allocate(capacity: frames.count)
    defer { made.deallocate() }
    made.initialize(repeating: .nan, count: frames.count)
    envelope.write(made, over: frames, sounding: sounding)
    return Array(UnsafeBufferPointer(start: made, count: frames.count))
  }

  @Test("is at its depth while another sound lasts and is held, and straight in decibels beside it")
  func shape() {
    let envelope = DuckEnvelope(depth: 12, attack: 100, hold: 50, release: 200)
    let all = gains(envelope, over: 0..<2000, sounding: [1000..<1200]).map {
      20 * log10(Double($0))
    }
    func isNear(_ frame: Int, _ decibels: Double) -> Bool { abs(all[frame] - decibels) < 1e-5 }
    #expect(all[...900].allSatisfy { $0 == 0 } && all[901] < 0)
    #expect(isNear(950, -6) && isNear(975, -9) && isNear(999, -11.88))
    #expect(all[1000...1250].allSatisfy { abs($0 + 12) < 1e-6 })
    #expect(isNear(1350, -6) && isNear(1300, -9) && isNear(1251, -11.94))
    #expect(all[1449] < 0 && all[1450...].allSatisfy { $0 == 0 })
  }

  @Test("falls again from where it has risen to, where pauses are short")
  func pauses() {
    let envelope = DuckEnvelope(depth: 20, attack: 100, hold: 0, release: 100)
    let all = gains(envelope, over: 0..<1000, sounding: [300..<400, 500..<600]).map {
      20 * log10(Double($0))
    }
    // The ramps meet half way.
    #expect(abs(all[450] + 10) < 1e-4 && all[400..<450].allSatisfy { $0 < -10 })
    #expect(all[451..<500].allSatisfy { $0 < -10 } && all[200..<600].max().map { $0 < 0 } == false)
  }

  @Test("changes at once where its times are zero")
  func zeroTimes() {
    let envelope = DuckEnvelope(depth: 6, attack: 0, hold: 0, release: 0)
    let all = gains(envelope, over: 0..<30, sounding: [10..<20])
    #expect(all == (0..<30).map { 10..<20 ~= $0 ? envelope.deepest : 1 })
    #expect(abs(20 * log10(Double(envelope.deepest)) + 6) < 1e-6)
  }

  @Test(
    "is that of its slow twin, in whatever blocks it is written",
    arguments: 1...40 as ClosedRange<UInt64>)
  func slowTwin(seed: UInt64) {
    var dice = Dice(seed)
    let depth = Double(dice.number(1..<400)) / 4
    let (attack, hold, release) = (dice.number(0..<300), dice.number(0..<200), dice.number(0..<500))
    let envelope = DuckEnvelope(depth: depth, attack: attack, hold: hold, release: release)
    var sounding: [Range<Int64>] = []
    for _ in 0..<dice.number(0..<6) {
      let start = dice.number(-500..<2500)
      sounding.append(start..<start + dice.number(1..<300))
    }
    sounding.sort { $0.lowerBound < $1.lowerBound }
    func slow(_ frame: Int64) -> Double {
      func share(_ frames: Int64, _ length: Int64) -> Double {
        length == 0 ? 0 : max(0, 1 - Double(frames) / Double(length))
      }
      let deepest = sounding.map { range -> Double in
        if frame < range.lowerBound { return share(range.lowerBound - frame, attack) }
        let end = range.upperBound + hold
        return frame < end ? 1 : share(frame - end, release)
      }
      return pow(10, -depth * (deepest.max() ?? 0) / 20)
    }
    let whole = gains(envelope, over: 0..<2000, sounding: sounding)
    for (frame, gain) in whole.enumerated() {
      #expect(abs(Double(gain) / slow(Int64(frame)) - 1) < 2e-5, "frame \(frame)")
    }
    var start: Int64 = 0
    while start < 2000 {
      let block = start..<min(2000, start + dice.number(1..<400))
      // What lies out of reach does not matter.
      let near = sounding.filter {
        $0.upperBound + hold + release > block.lowerBound
          && $0.lowerBound - attack < block.upperBound
      }
      let part = Array(whole[Int(block.lowerBound)..<Int(block.upperBound)])
      #expect(gains(envelope, over: block, sounding: near) == part)
      if let steady = envelope.steadyGain(over: block, sounding: near) {
        #expect(part.allSatisfy { $0 == steady })
      }
      start = block.upperBound
    }
  }
}

@Suite("The power of a sound in steps")
struct StepPowersTests {
  private func add(_ channels: [[Float]], _ frames: Range<Int>, to powers: inout StepPowers) {
    let planes = channels.map { samples in
      let plane = UnsafeMutablePointer<Float>.allocate(capacity: frames.count)
      plane.initialize(from: Array(samples[frames]), count: frames.count)
      return plane
    }
    defer { for plane in planes { plane.deallocate() } }
    planes.withUnsafeBufferPointer { planes in
      guard let first = planes.baseAddress else { return }
      powers.add(first, count: frames.count)
    }
  }

  @Test(
    "is that of its slow twin, bit for bit the same in whatever blocks and from wherever it comes",
    arguments: 1...20 as ClosedRange<UInt64>)
  func slowTwin(seed: UInt64) {
    var dice = Dice(seed)
    let length = dice.number(1..<60)
    let (start, zero) = (dice.number(-100..<100), dice.number(-1000..<1000))
    let channels = (0..<Int(dice.number(1..<4))).map { _ in
      (0..<1500).map { _ in Float(dice.number(-1000..<1001)) / 1000 }
    }
    func made(from first: Int) -> StepPowers {
      var powers = StepPowers(
        channelCount: channels.count, step: length, zero: zero, kept: 2000)
      powers.restart(at: start + Int64(first), afterSilence: first == 0)
      var done = first
      while done < 1500 {
        let end = min(1500, done + Int(dice.number(1..<200)))
        add(channels, done..<end, to: &powers)
        done = end
      }
      powers.addSilence()
      return powers
    }
    let whole = made(from: 0)
    #expect(
      whole.known == whole.step(of: start)..<whole.step(of: start + 1499) + 1, "\(whole.known)")
    for step in whole.known {
      let frames = whole.start(of: step)..<whole.start(of: step + 1)
      #expect(frames.allSatisfy { whole.step(of: $0) == step })
      let squares = channels.map { samples in
        frames.reduce(0.0) { sum, frame in
          let index = Int(frame - start)
          return samples.indices.contains(index)
            ? sum + Double(samples[index]) * Double(samples[index]) : sum
        }
      }
      let expected = (squares.max() ?? 0) / Double(length)
      #expect(abs(Double(whole.power(of: step)) - expected) < 1e-6)
    }
    let first = Int(dice.number(1..<1400))
    let part = made(from: first)
    #expect(part.known.lowerBound == part.firstStep(from: start + Int64(first)))
    #expect(part.known.upperBound == whole.known.upperBound)
    #expect(part.known.allSatisfy { part.power(of: $0) == whole.power(of: $0) })
  }

  @Test("is kept for the last steps, and 0 of those that are not known")
  func kept() {
    var powers = StepPowers(channelCount: 1, step: 10, zero: 0, kept: 100)
    powers.restart(at: 0, afterSilence: true)
    let ones = [[Float]](repeating: Array(repeating: 1, count: 1000), count: 1)
    for start in stride(from: 0, to: 1000, by: 50) {
      add(ones, start..<start + 50, to: &powers)
      #expect(powers.known.upperBound == Int64(start + 50) / 10)
      #expect(powers.known.count >= min(10, (start + 50) / 10) && powers.known.count < 24)
    }
    #expect(powers.power(of: 99) == 1 && powers.power(of: 0) == 0 && powers.power(of: 100) == 0)
  }
}
