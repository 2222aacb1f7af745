import MPEGAudio
import MediaComposition

extension Decoder {
  func mp3(_ node: YAMLNode, _ scope: Scope) -> MP3Settings? { .standard }
  func checkRate(of output: JobOutput, at origin: Origin?) {}
  func checkRates(of outputs: [JobOutput], mixedAt rate: Located<Int>) {}
}
