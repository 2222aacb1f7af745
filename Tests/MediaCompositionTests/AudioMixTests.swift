import MediaComposition
import MediaTime
import Testing

@Suite("Volume automation")
struct AudioMixTests {
  private let half = Gain(factor: 0.5)
  private let quarter = Gain(factor: 0.25)

  @Test("volumes are kept in order of time, whatever the order they are set in, and begin at 1")
  func order() throws {
    var mix = AudioMix()
    try mix.setVolume(quarter, at: seconds(9))
    try mix.setVolumeRamp(fromStartVolume: half, toEndVolume: .silence, timeRange: range(4, 2))
    try mix.setVolume(half, at: seconds(2))
    try mix.setVolumeRamp(fromStartVolume: .silence, toEndVolume: half, timeRange: range(6, 3))
    #expect(mix.volume.initial == .unity)
    #expect(
      mix.volume.ramps.map(\.timeRange)
        == [range(2, 0), range(4, 2), range(6, 3), range(9, 0)])
  }

  @Test("a step at the border of a ramp is before its start and after its end")
  func borders() throws {
    for isStepFirst in [true, false] {
      var mix = AudioMix()
      if isStepFirst { try mix.setVolume(quarter, at: seconds(3)) }
      try mix.setVolumeRamp(fromStartVolume: half, toEndVolume: .silence, timeRange: range(3, 2))
      if !isStepFirst { try mix.setVolume(quarter, at: seconds(3)) }
      try mix.setVolume(.unity, at: seconds(5))
      #expect(mix.volume.ramps.map(\.timeRange) == [range(3, 0), range(3, 2), range(5, 0)])
      #expect(mix.volume.ramps.map(\.endVolume) == [quarter, .silence, .unity])
    }
  }

  @Test("a later step or ramp at the same time takes the place of the earlier one")
  func replacing() throws {
    var mix = AudioMix()
    for volume in [half, quarter] {
      try mix.setVolume(volume, at: seconds(3))
      try mix.setVolumeRamp(fromStartVolume: .unity, toEndVolume: volume, timeRange: range(5, 1))
    }
    #expect(mix.volume.ramps.map(\.endVolume) == [quarter, quarter])
  }

  @Test("nothing is set while a ramp moves, and what is refused changes nothing")
  func overlaps() throws {
    var mix = AudioMix()
    try mix.setVolumeRamp(fromStartVolume: half, toEndVolume: .unity, timeRange: range(4, 4))
    try mix.setVolume(half, at: seconds(2))
    let before = mix
    #expect(throws: EditError.overlappingRamps(range(4, 4), range(5, 0))) {
      try mix.setVolume(half, at: seconds(5))
    }
    for (other, taken) in [
      (range(7, 2), range(4, 4)), (range(3, 2), range(4, 4)), (range(5, 1), range(4, 4)),
      (range(3, 9), range(4, 4)), (range(1, 2), range(2, 0)),
    ] {
      #expect(throws: EditError.overlappingRamps(taken, other)) {
        try mix.setVolumeRamp(fromStartVolume: half, toEndVolume: half, timeRange: other)
      }
    }
    for bad in [
      TimeRange.invalid, TimeRange(start: .zero, duration: .positiveInfinity), range(0, -1),
      TimeRange(start: .indefinite, duration: seconds(1)),
    ] {
      #expect(throws: EditError.invalidTime(bad.start)) {
        try mix.setVolumeRamp(fromStartVolume: half, toEndVolume: half, timeRange: bad)
      }
    }
    #expect(mix == before)
  }

  @Test("a pan is set as a volume is: in order of time, over nothing that moves already")
  func pans() throws {
    var mix = AudioMix()
    try mix.setPanRamp(fromStartPan: .left, toEndPan: .right, timeRange: range(4, 4))
    try mix.setPan(.centre, at: seconds(9))
    try mix.setPan(.right, at: seconds(2))
    try mix.setPan(.left, at: seconds(2))
    #expect(mix.pan.initial == .centre)
    #expect(
      mix.pan.ramps == [
        PanRamp(from: .left, to: .left, over: range(2, 0)),
        PanRamp(from: .left, to: .right, over: range(4, 4)),
        PanRamp(from: .centre, to: .centre, over: range(9, 0)),
      ])
    // A volume may move meanwhile.
    try mix.setVolumeRamp(fromStartVolume: half, toEndVolume: .unity, timeRange: range(5, 2))
    let before = mix
    #expect(throws: EditError.overlappingRamps(range(4, 4), range(5, 0))) {
      try mix.setPan(.left, at: seconds(5))
    }
    #expect(throws: EditError.overlappingRamps(range(2, 0), range(1, 2))) {
      try mix.setPanRamp(fromStartPan: .left, toEndPan: .left, timeRange: range(1, 2))
    }
    #expect(throws: EditError.invalidTime(.indefinite)) { try mix.setPan(.left, at: .indefinite) }
    #expect(mix == before)
  }

  @Test("a mix is delayed there and back without change")
  func delaying() throws {
    var mix = AudioMix(
      pan: PanEnvelope(.left, ramps: [PanRamp(from: .left, to: .right, over: range(1, 2))]))
    try mix.setVolume(half, at: seconds(2))
    mix.envelopes = [VolumeEnvelope([VolumeRamp(from: .unity, to: half, over: range(0, 3))])]
    let delay = Time(value: -7, timescale: 3)
    let moved = mix.delayed(by: delay)
    #expect(moved.volume.ramps[0].timeRange.start == Time(value: -1, timescale: 3))
    #expect(moved.envelopes[0].ramps[0].timeRange.start == delay)
    #expect(moved.pan.ramps[0].timeRange.start == Time(value: -4, timescale: 3))
    #expect(moved.delayed(by: -delay) == mix)
  }
}
