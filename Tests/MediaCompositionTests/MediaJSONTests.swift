import JSON
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@Suite struct MediaJSONTests {
  @Test("a path that is no text is there twice: to be read, and to be found")
  func paths() {
    #expect(JSONValue.file("a b.wav", ["n": 1]).line == #"{"path":"a b.wav","n":1}"#)
    #expect(
      JSONValue.file(FilePath(platformString: [97, -1, 0]), [:]).line
        == #"{"path":"a�","path_hex":"61ff"}"#)
  }

  @Test("a time's exact text is the one that the job language reads")
  func times() {
    #expect(
      JSONValue.members(["duration": .time(Time(value: 1001, timescale: 30000))]).line
        == #"{"duration":0.033367,"duration_exact":"1001/30000s"}"#)
    #expect(
      JSONValue.members(["duration": .time(Time(value: 125, timescale: 2))]).line
        == #"{"duration":62.5,"duration_exact":"1:02.5"}"#)
  }
}
