import TestSupport
import Testing

@testable import ALSA

@Suite struct PCMDevicesTests {
  @Test("The default device comes first, each name once, in one line, and only of its direction")
  func order() {
    let hints = [
      PCMDevices.Hint(name: "null", description: "Discard all samples", direction: nil),
      PCMDevices.Hint(name: "hw:0", description: "Card\nDirect access", direction: nil),
      PCMDevices.Hint(name: "mic", description: nil, direction: "Input"),
      PCMDevices.Hint(name: "speaker", description: "\n", direction: "Output"),
      PCMDevices.Hint(name: nil, description: "Nothing", direction: nil),
      PCMDevices.Hint(name: "", description: "Nothing", direction: nil),
      PCMDevices.Hint(name: "default", description: "Card", direction: nil),
      PCMDevices.Hint(name: "hw:0", description: "Again", direction: nil),
    ]
    #expect(
      PCMDevices.sorted(hints, .playback) == [
        PCMDeviceName(name: "default", summary: "Card"),
        PCMDeviceName(name: "null", summary: "Discard all samples"),
        PCMDeviceName(name: "hw:0", summary: "Card, Direct access"),
        PCMDeviceName(name: "speaker", summary: ""),
      ])
    #expect(
      PCMDevices.sorted(hints, .capture).map(\.name) == ["default", "null", "hw:0", "mic"])
  }

  @Test("Listing this machine's devices gives names, or the reason for none")
  func machine() {
    for direction in [PCMDirection.playback, .capture] {
      guard let devices = try? PCMDevices.list(direction) else { continue }
      #expect(Set(devices.map(\.name)).count == devices.count)
      #expect(devices.allSatisfy { !$0.name.isEmpty && !$0.summary.contains("\n") })
    }
  }
}
