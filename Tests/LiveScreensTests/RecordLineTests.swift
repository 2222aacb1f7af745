import MediaTime
import Terminal
import TestSupport
import Testing

@testable import LiveScreens
@testable import Playback

@Suite struct RecordLineTests {
  private var line = RecordLine(
    state: .recording, time: Time(value: 62_34, timescale: 100),
    levels: [
      LevelReading(peakPower: -6, averagePower: -30),
      LevelReading(peakPower: -60, averagePower: -70),
    ], lossCount: 0, timeLeft: Time(value: 200 * 60, timescale: 1))

  @Test("the line has the time, a bar for each channel, the highest peak and the room on the disk")
  func wide() {
    #expect(
      line.text(width: 110) == """
        recording  1:02.3  ━━━━━━━─────│─  ──────────────    -6.0 dB  space: pause, m: mark, q: stop\
          3 h left on disk
        """)
  }

  @Test("on a terminal without UTF-8 the line is ASCII")
  func ascii() {
    #expect(
      line.text(width: 110, in: .ascii) == """
        recording  1:02.3  =======-----|-  --------------    -6.0 dB  space: pause, m: mark, q: stop\
          3 h left on disk
        """)
  }

  @Test("where there is no room for both, keys go before much room on the disk, and behind little")
  func important() {
    var line = line
    line.state = .paused
    for (minutes, words) in [
      (61, "space: continue, q: stop"), (60, "space: continue, q: stop"),
      (59, "59 min left on disk"),
    ] {
      line.timeLeft = Time(value: Int64(minutes * 60), timescale: 1)
      #expect(line.text(width: 80).hasSuffix(" dB  " + words))
    }
  }

  @Test("on a narrow terminal the words go first, then bars, and no line is wider than it may be")
  func narrow() {
    var line = line
    line.lossCount = 2
    for width in 0..<150 {
      for state in [RecordLine.State.recording, .paused, .waiting, .listening, .gone] {
        line.state = state
        #expect(line.text(width: width).columns <= width)
      }
    }
    line.state = .recording
    #expect(line.text(width: 60) == "recording  1:02.3  ━━━━━━━━━━───────│──    -6.0 dB  2 losses")
    #expect(line.text(width: 30) == "recording  1:02.3    -6.0 dB")
  }

  @Test("before the key that starts, the line says that it listens; later it counts the markers")
  func listening() {
    var line = line
    line.timeLeft = nil
    line.state = .listening
    #expect(line.text(width: 80).hasPrefix("listening  1:02.3  "))
    #expect(line.text(width: 80).hasSuffix(" dB  space: record, q: stop"))
    (line.state, line.markerCount) = (.recording, 1)
    #expect(line.text(width: 90).hasSuffix(" dB  1 marker  space: pause, m: mark, q: stop"))
    line.markerCount = 12
    #expect(line.text(width: 60).hasSuffix(" dB  12 markers"))
  }

  @Test("the delay of the monitor is shown, or that it has no device")
  func monitor() {
    var line = line
    line.timeLeft = nil
    line.monitoring = .heard(after: Time(value: 27, timescale: 1000))
    #expect(line.text(width: 100).hasSuffix(" dB  monitor 27 ms  space: pause, m: mark, q: stop"))
    line.monitoring = .gone
    #expect(line.text(width: 64).hasSuffix(" dB  monitor: no device"))
  }

  @Test("sound that a monitor has lost is reported from 20 ms on, and only as much as was recorded")
  func unheard() {
    var recording = Recording(sampleRate: 48_000, channelCount: 2)
    #expect(recording.unheardText(48_528) == nil)
    recording.frameCount = 480_000
    #expect(recording.unheardText(0) == nil)
    #expect(recording.unheardText(959) == nil)
    let text = "were recorded, and not heard through the monitor"
    #expect(recording.unheardText(960) == "0:00.020 \(text)")
    #expect(recording.unheardText(480_001) == "0:10.000 \(text)")
  }
}
