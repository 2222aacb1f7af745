import Joins
import MediaComposition
import TestSupport
import Testing

@Suite("Joins") struct JoinsTests {
  private let rate = 16_000

  /// Harmonics that glide, with noise, of twelve seconds.
  private func music() -> [Float] {
    let tone = Signal.glide(sampleRate: rate, count: 12 * rate)
    let noise = Signal.noise(seed: 7, count: tone.count, amplitude: 0.02)
    return zip(tone, noise).map { $0 * 0.5 + $1 }
  }

  /// What is found at the places of a sound, which goes by in blocks of `blockSize` frames.
  private func inspected(
    _ planes: [[Float]], _ places: [JoinPlace], blockSize: Int = 4096, rate: Int = 16_000
  ) -> [Join] {
    var inspector = JoinInspector(sampleRate: rate, channelCount: planes.count, places: places)
    for start in stride(from: 0, to: planes[0].count, by: blockSize) {
      inspector.add(planes, start..<min(planes[0].count, start + blockSize))
    }
    inspector.finish()
    return inspector.joins
  }

  private func flaws(_ sound: [Float], at frame: Int64) -> [Join.Flaw] {
    inspected([sound], [JoinPlace(frame..<frame, isSteady: true)]).flatMap(\.flaws)
  }

  @Test("sound that goes on has no flaws, and one that leaps, stops or jumps in level has")
  func flaws() throws {
    let place = 6 * rate
    let music = music()
    #expect(flaws(music, at: Int64(place)) == [])
    var leap = music
    leap[place] += 0.5
    #expect(flaws(leap, at: Int64(place)) == [.click])
    var gap = music
    for index in place..<(place + 20) { gap[index] = 0 }
    #expect(flaws(gap, at: Int64(place)) == [.gap(frames: 20)])
    // The gap may be the end of the item before, too.
    #expect(flaws(gap, at: Int64(place + 20)) == [.gap(frames: 20)])
    for decibels in [-12.0, 12] {
      let factor: Float = decibels < 0 ? 0.25 : 4
      let step = music.enumerated().map { $0 < place ? $1 : $1 * factor }
      let found = flaws(step, at: Int64(place)).compactMap { flaw in
        if case .step(let found) = flaw { found } else { nil }
      }
      #expect(abs(try #require(found.first) - decibels) < 1.5)
    }
  }

  @Test("sound out of digital silence, or out of the noise of a room, is no step of level")
  func quiet() {
    let place = 6 * rate
    let room = Signal.noise(seed: 3, count: 12 * rate, amplitude: 0.002)
    for quiet in [Array(repeating: 0, count: place), Array(room.prefix(place))] {
      let speech = Array(music().suffix(6 * rate))
      for sound in [quiet + speech, speech + quiet] {
        #expect(
          !flaws(sound, at: Int64(place)).contains { flaw in
            if case .step = flaw { true } else { false }
          })
      }
    }
    #expect(Join.Flaw.step(decibels: 24).remedy.contains("'trim'"))
  }

  @Test("a level that the job changes is none that jumps")
  func fades() {
    let place = Int64(6 * rate)
    let step = music().enumerated().map { $0 < Int(place) ? $1 : $1 * 0.25 }
    let faded = inspected([step], [JoinPlace(place..<place, isSteady: false)])
    #expect(!faded.flatMap(\.flaws).contains { if case .step = $0 { true } else { false } })
  }

  @Test("findings do not depend on the blocks in which the sound goes by, nor on other joins")
  func blocks() {
    var sound = music()
    let places = [3, 9, 30_000, 30_500, 64_000, 100_000, Int64(sound.count - 2)]
    sound[64_000] += 0.5
    let joins = places.map { JoinPlace($0..<$0, isSteady: true) }
    let whole = inspected([sound, sound], joins, blockSize: sound.count)
    #expect(whole.map(\.frames.lowerBound) == places)
    #expect(whole.filter { !$0.flaws.isEmpty }.map(\.frames) == [64_000..<64_000])
    for blockSize in [333, 4096, 50_000] {
      #expect(inspected([sound, sound], joins, blockSize: blockSize) == whole)
    }
    for (join, place) in zip(whole, joins) where place.frames.lowerBound >= 64_000 {
      #expect(inspected([sound, sound], [place]).map(\.samples) == [join.samples])
    }
  }

  @Test("a join shows the samples around it, and its highest peak")
  func samples() throws {
    var sound = [Float](repeating: 0, count: 2000)
    for index in 900..<1100 { sound[index] = index < 1000 ? 0.25 : -0.5 }
    let join = try #require(inspected([sound], [JoinPlace(1000..<1000, isSteady: true)]).first)
    #expect(join.shown == 872..<1128)
    #expect(join.peak == 0.5)
    #expect(join.samples[..<28].allSatisfy { $0 == 0 })
    #expect(join.samples[28..<128].allSatisfy { $0 == 64 })
    #expect(join.samples[128..<228].allSatisfy { $0 == -127 })
  }

  @Test("joins in sound that nobody renders are left out, and those behind it are found")
  func skipping() {
    let sound = music()
    let places = [20_000, 40_000, 100_000].map { JoinPlace($0..<$0, isSteady: true) }
    var inspector = JoinInspector(sampleRate: rate, channelCount: 1, places: places)
    inspector.add([sound], 0..<30_000)
    inspector.skip(50_000)
    inspector.add([sound], 80_000..<sound.count)
    inspector.finish()
    #expect(inspector.joins.map(\.frames.lowerBound) == [20_000, 100_000])
  }

  @Test("items of a few frames, slow rates and sounds of nothing are looked at, too")
  func extremes() {
    let places = (1..<400).map { JoinPlace(Int64($0) * 3..<Int64($0) * 3, isSteady: true) }
    #expect(inspected([music()], places).count == 399)
    #expect(inspected([[0.5, -0.5, 0.5]], [JoinPlace(1..<2, isSteady: true)], rate: 1).count == 1)
    #expect(inspected([[]], [JoinPlace(0..<0, isSteady: true)]).count == 1)
    // What lies behind the end was never heard.
    #expect(inspected([[0, 0]], [JoinPlace(5..<5, isSteady: true)]).isEmpty)
  }

  /// What the faulty source does to the second item, and what is then found.
  enum Fault: CaseIterable { case none, click, gap, louder, softer }

  @Test(
    "of 500 joins of real music and speech 1 % are flagged, and of those with a fault four of five",
    arguments: Fault.allCases)
  func realSound(fault: Fault) throws {
    // Slow rates keep the slow build quick; `scripts/soak joins` has whole ones.
    let media = try ["feelings.ogg", "librivox-sonnet.mp3", "voice-8k.wav"].map {
      try Tool.decoded($0, rate: 8000)
    }
    let length = 5 * 8000
    var dice = Dice(19)
    var flagged: [String] = []
    // Faults are looked for in fewer: the slow build takes its time.
    let count = fault == .none ? 500 : 150
    for number in 0..<count {
      let medium = media[number % media.count]
      let place = length + Int(dice.number(0..<Int64(medium.count - 2 * length)))
      var sound = Array(medium[place - length..<place + length])
      switch fault {
      case .none: break
      case .click: sound[length] += 0.5
      case .gap: for index in length..<length + 20 { sound[index] = 0 }
      case .louder: for index in length..<2 * length { sound[index] *= 4 }
      case .softer: for index in length..<2 * length { sound[index] /= 4 }
      }
      let join = inspected(
        [sound], [JoinPlace(Int64(length)..<Int64(length), isSteady: true)], rate: 8000)
      if let flaws = join.first?.flaws, !flaws.isEmpty { flagged.append("\(number): \(flaws)") }
    }
    if fault == .none {
      #expect(flagged.count <= 5, "\(flagged)")
    } else {
      #expect(flagged.count >= count * 4 / 5, "\(fault): \(flagged.count)")
    }
  }
}

extension JoinInspector {
  /// Takes some frames of planes.
  fileprivate mutating func add(_ planes: [[Float]], _ frames: Range<Int>) {
    let pointers = planes.map { plane in
      let copy = UnsafeMutablePointer<Float>.allocate(capacity: frames.count)
      plane[frames].withUnsafeBufferPointer { part in
        if let start = part.baseAddress { copy.initialize(from: start, count: part.count) }
      }
      return copy
    }
    pointers.withUnsafeBufferPointer { pointers in
      if let start = pointers.baseAddress { add(start, count: frames.count) }
    }
    for pointer in pointers { pointer.deallocate() }
  }
}

extension Tool {
  /// A fixture's sound in one channel.
  fileprivate static func decoded(_ path: String, rate: Int) throws -> [Float] {
    try run([
      "ffmpeg", "-v", "error", "-i", Fixture.path(path), "-ac", "1", "-ar", "\(rate)", "-f",
      "f32le", "-",
    ]).floats
  }
}
