import MediaComposition
import MediaTime
import SystemPackage

func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

func range(_ start: Int64, _ duration: Int64) -> TimeRange {
  TimeRange(start: seconds(start), duration: seconds(duration))
}

/// An asset of ten frames a second, 1,000 s long.
func sound(_ name: String, rate: Int = 10, lasting duration: Int64 = 1000) -> Asset {
  Asset(
    location: .file(FilePath(name)), streamIndex: 0, container: "wav", codec: "pcm_s16le",
    sampleRate: rate,
    channelLayout: .stereo, frameCount: duration * Int64(rate),
    identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
}

/// The same sound in a file with a picture of this codec.
func film(_ name: String, codec: String = "h264") -> Asset {
  var asset = sound(name)
  (asset.container, asset.codec) = (MovieContainer.mp4.demuxer, "aac")
  asset.tracks = [
    AssetTrack(index: 0, mediaType: .audio, codec: "aac"),
    AssetTrack(index: 1, mediaType: .video, codec: codec),
  ]
  return asset
}

/// A segment that plays some seconds of an asset.
func clip(_ asset: Asset, from: Int64, lasting duration: Int64, at start: Int64) -> Segment {
  Segment(.asset(asset), source: range(from, duration), at: seconds(start))
}
