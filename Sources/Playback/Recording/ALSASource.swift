internal import ALSA
import Diagnosis
import MediaComposition
import SystemPackage

/// A device of ALSA as a source. Belongs to the reading thread.
final class ALSASource: AudioSource {
  let format: SourceFormat
  private let device: PCMDevice
  private var liveness = DeviceLiveness()
  /// Brings frames out of the device's order of channels; nil if that is ours, or if the device has
  /// no channel map: the inputs of an interface keep their numbers.
  private let reordering: ChannelReordering?

  private init(_ device: PCMDevice) {
    self.device = device
    let count = device.format.channelCount
    let positions = device.format.channelPositions?.map(\.description) ?? []
    // The file says the usual positions of so many channels.
    let isUsual = ChannelReordering.layout(of: positions) == .usual(ofCount: count)
    reordering =
      isUsual
      ? ChannelReordering(
        for: count, positions: positions, sampleSize: device.format.sampleFormat.byteCount)
      : nil
    format = SourceFormat(
      sampleRate: device.format.sampleRate, channelCount: device.format.channelCount,
      encoding: SampleEncoding(device.format.sampleFormat),
      periodFrames: device.format.periodFrames, bufferFrames: device.format.bufferFrames)
  }

  static func opener(_ name: String) -> SourceOpener {
    { wanted throws(Failure) in
      do throws(ALSAError) {
        // Half a second: recorded sound may be late, and must not be lost.
        let device = try PCMDevice.open(
          name, direction: .capture,
          request: PCMRequest(
            sampleRate: wanted.sampleRate, channelCount: wanted.channelCount,
            sampleFormats: wanted.encodings.map(PCMSampleFormat.init),
            period: .milliseconds(wanted.periodMilliseconds), buffer: .milliseconds(500)))
        try device.start()
        return ALSASource(device)
      } catch {
        throw Failure(error, of: name)
      }
    }
  }

  var delay: Int { device.delay() ?? 0 }

  func read(into frames: UnsafeMutableRawPointer, count: Int) -> SourceOutcome {
    switch device.read(into: frames, count: count) {
    case .transferred(let count):
      liveness.noteTransfer()
      reordering?.restore(frames, count: count)
      return .read(count)
    case .notReady: return liveness.noteStall() ? .gone : .empty
    case .xrun: return !liveness.noteXrun() && restarted ? .overran : .gone
    case .suspended: return restarted ? .interrupted : .gone
    case .gone, .failed: return .gone
    }
  }

  func wait(milliseconds: Int32) { _ = device.wait(upTo: .milliseconds(Int(milliseconds))) }

  /// Records again after a stop. May allocate, since nothing is recorded then.
  private var restarted: Bool {
    do throws(ALSAError) {
      _ = try device.recover()
      try device.start()
      return true
    } catch {
      return false
    }
  }
}

extension PCMSampleFormat {
  /// The device's samples for an encoding.
  fileprivate init(_ encoding: SampleEncoding) {
    switch encoding {
    case .float32: self = .float32
    case .int32: self = .int32
    case .int24: self = .int24
    case .packedInt24: self = .packedInt24
    case .int16: self = .int16
    }
  }
}

extension Recorder {
  /// A recorder of an ALSA device.
  ///
  /// - Parameters:
  ///   - path: The path of the file, as of `init(to:settings:monitor:opening:)`.
  ///   - settings: The settings.
  ///   - device: ALSA's name of the device: `default`, `hw:1,0` …
  ///   - monitor: Lets the sound be heard; nil: nothing does. Of this recorder alone.
  /// - Throws: As `init(to:settings:monitor:opening:)`.
  public convenience init(
    to path: FilePath, settings: RecordingSettings = RecordingSettings(), device: String,
    monitor: RecordingMonitor? = nil
  ) throws(Failure) {
    try self.init(
      to: path, settings: settings, monitor: monitor, opening: ALSASource.opener(device))
  }
}
