import MediaComposition
import MediaTime

/// A processor that is made of closures.
struct TestProcessor: AudioProcessor {
  var name = "test"
  var identity: String?
  var latency = 0
  var tail = Time.zero
  var memory = ProcessorMemory.unbounded
  /// Called for each instance; gives what changes its blocks.
  var make:
    @Sendable (_ sampleRate: Int, _ channels: Int) throws -> (ProcessingBuffer) throws -> Void

  func latency(atRate sampleRate: Int) -> Int { latency }

  func makeInstance(
    sampleRate: Int, channelLayout: ChannelLayout
  ) throws -> any AudioProcessorInstance {
    Instance(try make(sampleRate, channelLayout.count))
  }

  private final class Instance: AudioProcessorInstance {
    private let body: (ProcessingBuffer) throws -> Void
    init(_ body: @escaping (ProcessingBuffer) throws -> Void) { self.body = body }
    func process(_ buffer: ProcessingBuffer) throws { try body(buffer) }
  }
}

extension TestProcessor {
  /// Passes the sound on, `latency` frames late.
  static func pass(latency: Int = 0, memory: ProcessorMemory = .unbounded) -> TestProcessor {
    TestProcessor(name: "pass", latency: latency, memory: memory) { _, channels in
      var held = Array(repeating: Array(repeating: Float(0), count: latency), count: channels)
      return { buffer in
        for channel in 0..<channels {
          let samples = buffer[channel]
          held[channel] += samples
          for index in samples.indices { samples[index] = held[channel][index] }
          held[channel].removeFirst(samples.count)
        }
      }
    }
  }

  /// Every sample times a factor.
  static func gain(_ factor: Float, memory: ProcessorMemory = .none) -> TestProcessor {
    TestProcessor(name: "gain", identity: "gain \(factor)", memory: memory) { _, channels in
      { buffer in
        for channel in 0..<channels {
          for index in buffer[channel].indices { buffer[channel][index] *= factor }
        }
      }
    }
  }

  /// The mean of each frame and some before it, late by half of them.
  static func mean(_ count: Int, memory: ProcessorMemory) -> TestProcessor {
    TestProcessor(name: "mean", identity: "mean \(count)", latency: count / 2, memory: memory) {
      _, channels in
      var before = Array(repeating: Array(repeating: Float(0), count: count), count: channels)
      return { buffer in
        for channel in 0..<channels {
          let samples = buffer[channel]
          let all = before[channel] + samples
          for index in samples.indices {
            var sum: Float = 0
            for place in index + 1...index + count { sum += all[place] }
            samples[index] = sum / Float(count)
          }
          before[channel] = Array(all.suffix(count))
        }
      }
    }
  }

  /// `mean`, by a loop over the whole.
  static func means(_ sound: [Float], _ count: Int) -> [Float] {
    sound.indices.map { index in
      var sum: Float = 0
      let last = index + count / 2
      for place in last - count + 1...last {
        sum += sound.indices.contains(place) ? sound[place] : 0
      }
      return sum / Float(count)
    }
  }
}
