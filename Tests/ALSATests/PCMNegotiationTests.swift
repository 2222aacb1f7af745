import Glibc
import TestSupport
import Testing

@testable import ALSA

@Suite struct PCMNegotiationTests {
  @Test("A device that has everything gives the request, float first, in the requested sizes")
  func everything() throws {
    let device = try Card("speed 0.000001").open(
      "card", .playback, PCMRequest(sampleRate: 44100, channelCount: 3))
    let format = device.format
    #expect(format.sampleFormat == .float32)
    #expect(format.sampleRate == 44100)
    #expect(format.channelCount == 3)
    #expect(format.bytesPerFrame == 12)
    #expect(format.periodFrames == 882)
    #expect(format.bufferFrames == 8820)
    #expect(!format.isConverted)
    #expect(format.channelPositions == nil)
    #expect(device.state == .prepared)
    #expect(device.startFrames() == 882)
  }

  @Test(
    "A device that has one format gives that one",
    arguments: [
      ("FLOAT_LE", PCMSampleFormat.float32, 8), ("S32_LE", .int32, 8), ("S24_LE", .int24, 8),
      ("S24_3LE", .packedInt24, 6), ("S16_LE", .int16, 4),
    ])
  func oneFormat(name: String, expected: PCMSampleFormat, bytes: Int) throws {
    let device = try Card("formats [ U8 \(name) ]").open()
    #expect(device.format.sampleFormat == expected)
    #expect(device.format.bytesPerFrame == bytes)
  }

  @Test("Formats come in the order of the request, and no others")
  func order() throws {
    let card = try Card("formats [ FLOAT_LE S32_LE S16_LE ]")
    func ask(_ formats: [PCMSampleFormat]) throws -> PCMSampleFormat {
      let request = PCMRequest(sampleRate: 48000, channelCount: 2, sampleFormats: formats)
      return try card.open("card", .playback, request).format.sampleFormat
    }
    #expect(try ask([.packedInt24, .int16, .int32]) == .int16)
    #expect(try ask([.int32, .int16]) == .int32)
  }

  @Test(
    "A rate or a number of channels that the device lacks becomes the nearest that it has",
    arguments: [
      (44100, 48000, 1, 2), (96000, 96000, 2, 2), (88200, 96000, 6, 4), (8000, 32000, 4, 4),
    ])
  func nearest(rate: Int, givenRate: Int, channels: Int, givenChannels: Int) throws {
    let card = try Card("rates [ 32000 48000 96000 ] channels [ 2 4 ]")
    let device = try card.open(
      "card", .playback, PCMRequest(sampleRate: rate, channelCount: channels))
    #expect(device.format.sampleRate == givenRate)
    #expect(device.format.channelCount == givenChannels)
  }

  @Test("Mono hardware of 44.1 kHz and 16 bits is found as it is, also after alsa-lib's converters")
  func behindPlug() throws {
    let card = try Card(
      "formats [ S16_LE ] rates [ 44100 ] channels [ 1 ]",
      others: ["default": "type plug slave.pcm card"])
    for name in ["card", "default"] {
      let format = try card.open(name).format
      #expect(format.sampleFormat == .int16)
      #expect(format.sampleRate == 44100)
      #expect(format.channelCount == 1)
      #expect(!format.isConverted)
    }
  }

  @Test("Only hardware with none of our formats is converted for, where a converter is before it")
  func converted() throws {
    let card = try Card(
      "formats [ U8 ] rates [ 44100 ]", others: ["plugged": "type plug slave.pcm card"])
    let format = try card.open("plugged").format
    #expect(format.isConverted)
    #expect(format.sampleRate == 44100)
    do {
      _ = try card.open()
      Issue.record("eight bits were taken")
    } catch {
      #expect(error.kind == .unsupported)
      #expect(
        error.description == "card: Invalid argument (snd_pcm_hw_params_test_format: "
          + "it offers U8, and none of float, s32, s24, s24_3, s16)")
    }
  }

  @Test("Positions of channels are reported in the device's names")
  func places() throws {
    let card = try Card("channels [ 6 ] map [ FL FR RL RR FC LFE ]")
    let positions = try #require(try card.open().format.channelPositions)
    #expect(positions.map(\.description) == ["FL", "FR", "RL", "RR", "FC", "LFE"])
  }

  @Test("Other sizes are granted; a start threshold stays within the buffer")
  func sizes() throws {
    for (threshold, frames) in [(Duration.milliseconds(15), 720), (.seconds(5), 1920), (.zero, 1)] {
      let request = PCMRequest(
        sampleRate: 48000, channelCount: 2, period: .milliseconds(5), buffer: .milliseconds(40),
        startThreshold: threshold)
      let device = try Card("speed 0.000001").open("card", .playback, request)
      #expect(device.format.periodFrames == 240)
      #expect(device.format.bufferFrames == 1920)
      #expect(device.startFrames() == frames)
    }
  }

  @Test(
    "Wishes out of reach become what is nearest to them",
    arguments: [Duration.seconds(-1), .zero, .nanoseconds(1), .seconds(Int64.max)])
  func extremes(length: Duration) throws {
    for (rate, channels) in [(0, 0), (-1, -1), (Int.max, Int.max)] {
      let request = PCMRequest(
        sampleRate: rate, channelCount: channels, period: length, buffer: length,
        startThreshold: length)
      let format = try Card().open("card", .playback, request).format
      #expect(format.sampleRate == (rate > 0 ? 384_000 : 4000))
      #expect(format.channelCount == (channels > 0 ? 32 : 1))
      #expect(format.bufferFrames >= 2 * format.periodFrames && format.periodFrames > 0)
    }
  }

  @Test("An unknown name is absent, in alsa-lib's own words")
  func unknown() throws {
    do {
      _ = try Card().open("speakers")
      Issue.record("there are no speakers")
    } catch let error as ALSAError {
      #expect(error.kind == .absent)
      #expect(
        error.description
          == "speakers: No such file or directory (snd_pcm_open_lconf: Unknown PCM speakers)")
    }
  }

  @Test("A card whose plugin cannot be loaded, and an invalid configuration, are reported")
  func broken() throws {
    let card = try Card(others: ["broken": "type nonsense"])
    #expect(throws: ALSAError.self) { try card.open("broken") }
    let path = card.folder.path("text")
    try writeFile(path, Array("pcm.card {".utf8))
    #expect(throws: ALSAError.self) {
      try PCMDevice.open(
        "card", direction: .playback, request: PCMRequest(sampleRate: 48000, channelCount: 2),
        configuration: path)
    }
    #expect(throws: ALSAError.self) {
      try PCMDevice.open(
        "card", direction: .playback, request: PCMRequest(sampleRate: 48000, channelCount: 2),
        configuration: card.folder.path("none"))
    }
  }
}
