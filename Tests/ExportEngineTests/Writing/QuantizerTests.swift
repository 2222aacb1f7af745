import TestSupport
import Testing

@testable import ExportEngine

@Suite("Quantizer")
struct QuantizerTests {
  private func int16(
    _ samples: [Float], isDithered: Bool = false, frame: Int64 = 0, channel: Int = 0
  ) -> [Int16] {
    var output = [Int16](repeating: 0, count: samples.count)
    Quantizer(isDithered: isDithered).convert(
      samples, count: samples.count, frame: frame, channel: channel, to: &output, stride: 1)
    return output
  }

  @Test("every 16-bit integer comes back from float as it was")
  func exact16() {
    let all = (-32768...32767).map { Int16($0) }
    #expect(int16(all.map { Float($0) / 32768 }) == all)
  }

  @Test("24-bit integers come back as they were, at the top of 32 bits")
  func exact24() {
    let all = stride(from: Int32(-8_388_608), through: 8_388_607, by: 4093).map { $0 }
    var output = [Int32](repeating: 0, count: all.count)
    Quantizer(isDithered: false).convert(
      all.map { Float($0) / 8_388_608 }, count: all.count, to: &output, stride: 1)
    #expect(output == all.map { $0 << 8 })
  }

  @Test("halves round to even, and samples over full scale are clamped")
  func rounding() {
    let steps: [Float] = [0.5, 1.5, 2.5, -0.5, -1.5, 0.49999, 32767.5, 40000, -32768.5, -1e30]
    #expect(
      int16(steps.map { $0 / 32768 }) == [0, 2, 2, 0, -2, 0, 32767, 32767, -32768, -32768])
  }

  @Test("dither is a function of frame and channel: a slice equals its part of the whole")
  func slices() {
    let noise = Signal.noise(seed: 5, count: 5000)
    let whole = int16(noise, isDithered: true, frame: 1 << 33)
    #expect(
      int16(Array(noise[1234...]), isDithered: true, frame: 1 << 33 + 1234) == Array(whole[1234...])
    )
    #expect(int16(noise, isDithered: true, frame: 1 << 33, channel: 1) != whole)
  }

  @Test("dither is the same on any machine")
  func golden() {
    let silence = [Float](repeating: 0, count: 24)
    // Computed by another program from the hash's definition.
    #expect(
      int16(silence, isDithered: true) == [
        1, 0, 0, -1, 0, 1, -1, 0, 0, 0, -1, -1, 0, 1, 1, -1, 0, -1, -1, -1, 1, 0, 0, 0,
      ])
  }

  @Test("dithered sound keeps its mean between two steps, and its noise has a triangle's power")
  func statistics() {
    let count = 1 << 18
    for level: Float in [0, 0.25, 0.5, -0.3] {
      let output = int16([Float](repeating: level / 32768, count: count), isDithered: true)
      let mean = output.reduce(0.0) { $0 + Double($1) } / Double(count)
      #expect(abs(mean - Double(level)) < 0.005)
      // TPDF dither (1/6) and rounding (1/12) together: 1/4 step², whatever the level.
      let power = output.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
      #expect(abs(power / Double(count) - 0.25) < 0.005)
    }
  }

  @Test("dither is white, and unlike in the two channels")
  func whiteness() {
    let count = 1 << 16
    let key0 = Quantizer.mixed(0x7F4A_7C15)
    let key1 = Quantizer.mixed(0x9E37_79B9 &+ 0x7F4A_7C15)
    let left = (0..<count).map { Float(Quantizer.triangular(UInt32($0), key0)) }
    let right = (0..<count).map { Float(Quantizer.triangular(UInt32($0), key1)) }
    for lag in [1, 2, 3, 4, 7, 16, 64, 1152, 4096] {
      #expect(abs(Signal.correlation(left.dropFirst(lag), left)) < 0.02)
    }
    for lag in [0, 1, 2] { #expect(abs(Signal.correlation(left.dropFirst(lag), right)) < 0.02) }
    #expect(left.allSatisfy { abs($0) < 1 })
  }
}
