import AVJob

func makeEpisode(host: FilePath, bed: FilePath, output: FilePath) async throws {
  let library = MediaLibrary()
  let voice = try await library.loadAsset(at: host)
  let music = try await library.loadAsset(at: bed)

  // A cough is removed; what is later moves forward.
  var talk = Track()
  try talk.insertTimeRange(
    TimeRange(start: .zero, duration: voice.duration), of: voice, at: .zero)
  try talk.removeTimeRange(
    TimeRange(start: Time(parsing: "12s"), end: Time(parsing: "13.25s")))

  // The music is repeated for as long as the talk lasts, and fades down under it.
  var under = Track()
  while under.end < talk.end {
    let length = min(music.duration, talk.end - under.end)
    try under.insertTimeRange(
      TimeRange(start: .zero, duration: length), of: music, at: under.end)
  }
  try under.mix.setVolumeRamp(
    fromStartVolume: .unity, toEndVolume: Gain(decibels: -18),
    timeRange: TimeRange(start: .zero, duration: Time(parsing: "3s")))

  let export = Export(
    name: "episode", composition: Composition(tracks: [talk, under]),
    outputs: [Output(path: output, format: .m4a(bitRate: 128_000))])
  try await ExportSession(export, library: library).export()
}
