import Foundation
import MediaTime
import TestSupport
import Testing

@Suite struct TimeCodingTests {
  @Test("What is encoded comes back with its timescale and its flags")
  func roundTrip() throws {
    var random = Dice(40)
    let times = (0..<5000).map { _ in random.anyTime() }
    let data = try JSONEncoder().encode(times)
    let back = try JSONDecoder().decode([Time].self, from: data)
    #expect(back.count == times.count)
    for (a, b) in zip(times, back) {
      #expect(a.value == b.value && a.timescale == b.timescale && a.flags == b.flags)
    }
    let range = TimeRange(start: random.time(), duration: .indefinite)
    let mapping = TimeMapping(source: .invalid, target: range)
    let bytes = try PropertyListEncoder().encode([mapping])
    #expect(try PropertyListDecoder().decode([TimeMapping].self, from: bytes) == [mapping])
  }

  @Test("A time is written under CoreMedia's keys, and an epoch of 0 is read")
  func keys() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = try encoder.encode(TimeRange(start: .zero, duration: .positiveInfinity))
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"duration":{"flags":5,"timescale":0,"value":0},"#
        + #""start":{"flags":1,"timescale":1,"value":0}}"#)
    #expect(try read(#"{"value": 3, "timescale": 2, "flags": 3, "epoch": 0}"#).hasBeenRounded)
    // The other fields of a time that is no number hold anything.
    #expect(try read(#"{"value": 3, "timescale": -2, "flags": 7}"#) == .positiveInfinity)
    #expect(try read(#"{"value": 3, "timescale": 2, "flags": 4}"#) == .invalid)
  }

  @Test(
    "What is no time is refused by the name of its key",
    arguments: [
      (#"{"value": 1, "timescale": 0, "flags": 1}"#, "timescale 0 is not positive"),
      (#"{"value": 1, "timescale": -5, "flags": 1}"#, "timescale -5 is not positive"),
      (#"{"value": 1, "timescale": 5, "flags": 1, "epoch": 2}"#, "epoch 2: only 0 is kept"),
      (#"{"value": 1, "timescale": 5, "flags": 33}"#, "flags 33 are not known"),
    ])
  func refusals(text: String, message: String) {
    let error = #expect(throws: DecodingError.self) { try read(text) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription == message)
  }

  @Test("A missing key is refused")
  func missing() {
    #expect(throws: DecodingError.self) { try read(#"{"value": 1, "timescale": 5}"#) }
  }

  private func read(_ text: String) throws -> Time {
    try JSONDecoder().decode(Time.self, from: Data(text.utf8))
  }
}
