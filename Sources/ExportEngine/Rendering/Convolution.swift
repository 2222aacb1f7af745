import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import Synchronization

extension FilteredSource.Setup {
  /// A reverberation of sound at a format. Reads its whole impulse response, as it would sound in
  /// such a mix.
  static func reverb(
    _ reverb: Effect.Reverb, at format: AudioFormat, _ pool: SourcePool
  ) throws(Failure) -> Self {
    let impulse = reverb.impulse
    // A response of one channel is that of each.
    let isMono = impulse.channelLayout.count == 1
    let layout = isMono ? impulse.channelLayout : format.channelLayout
    let source = Source(
      impulse, matrix: ChannelMatrix(from: impulse.channelLayout, to: layout),
      ratio: FrameRatio(from: impulse.sampleRate, to: format.sampleRate))
    let node = SourceNode(
      Node(
        .source(source, start: 0),
        format: AudioFormat(sampleRate: format.sampleRate, channelLayout: layout),
        frames: 0..<source.frameCount), source, start: 0, pool)
    defer { node.close() }
    let block = AudioBuffer(channelCount: layout.count, capacity: Renderer.blockSize)
    var response = Array(repeating: [Float](), count: block.channelCount)
    var frame: Int64 = 0
    while frame < source.frameCount {
      let end = min(frame + Int64(block.capacity), source.frameCount)
      block.frameCount = try node.read(frame..<end, into: block, at: 0)
      for channel in response.indices { response[channel] += block.samples(channel) }
      frame = end
    }
    if isMono {
      response = Array(repeating: response[0], count: format.channelLayout.count)
    }
    do throws(Failure) {
      return try Self.reverb(reverb.settings, response, sampleRate: format.sampleRate)
    } catch {
      throw Failure(error.remedy, error.message, location: impulse.location)
    }
  }

  /// A reverberation with an impulse response at the rate and the channels of the sound.
  ///
  /// The sound itself is the response's first frame: what comes out is one convolution.
  static func reverb(
    _ settings: Effect.Reverb.Settings, _ impulse: [[Float]], sampleRate: Int
  ) throws(Failure) -> Self {
    let energy = impulse.map { $0.reduce(0) { $0 + Double($1) * Double($1) } }.max() ?? 0
    guard energy > 0 else {
      throw Failure(.mendInput, "is silent; an impulse response has a sound")
    }
    let level = Float(settings.mix * Gain(decibels: settings.gain).factor / energy.squareRoot())
    let response = impulse.map { channel in
      var scaled = channel.map { level * $0 }
      scaled[0] += Float(1 - settings.mix)
      return scaled
    }
    let gain = try Self.gainOfConvolution.get()
    return Self(
      filters: [.convolution(response, gain: 1 / gain)], subject: "the effect 'reverb'")
  }

  /// By how much `afir` changes the level of a sound, besides its response: by 2 in FFmpeg 5.1, a
  /// slip of its transforms. Measured once.
  private static let gainOfConvolution = Result { () throws(Failure) -> Double in
    let chain = try filtering { () throws(LibAVError) in
      try FilterChain.open(
        [.convolution([[1]], gain: 1)], sampleRate: 48_000, channelCount: 1)
    }
    let block = AudioBuffer(channelCount: 1, capacity: 1 << 15)
    block.planes[0][0] = 1
    try filtering { () throws(LibAVError) in
      try chain.feed(block.planes, count: block.capacity)
      block.frameCount = try chain.take(into: block.planes, at: 0, capacity: block.capacity)
    }
    guard block.frameCount > 0, block.planes[0][0] > 0 else {
      throw Failure(.reportBug, "afir gave no sound")
    }
    return Double(block.planes[0][0].rounded(toPlaces: 20))
  }
}

extension FilterChain.Filter {
  /// `afir`, which gives frames as soon as it has one of its parts of 8192, without a lag. Responses
  /// of less than 8 frames come out wrong in FFmpeg 5.1: they are filled up with silence. Since
  /// FFmpeg 7 it makes responses equally loud unless `irnorm` is negative; they are used as they are.
  fileprivate static func convolution(_ response: [[Float]], gain: Double) -> Self {
    let filled = response.map { $0 + [Float](repeating: 0, count: max(0, 64 - $0.count)) }
    return Self(
      "afir", [("gtype", "none"), ("wet", "\(gain)"), ("maxir", "60")], newer: [("irnorm", "-1")],
      response: filled)
  }
}

extension Float {
  /// Rounded to so many binary places, which takes away the rounding of transforms.
  fileprivate func rounded(toPlaces places: Int) -> Float {
    let scale = Float(1 << places)
    return (self * scale).rounded() / scale
  }
}
