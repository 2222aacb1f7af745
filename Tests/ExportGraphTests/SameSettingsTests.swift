import MediaComposition
import SystemPackage
import Testing

@testable import ExportGraph

@Suite("Settings that keep a source's quality") struct SameSettingsTests {
  private func speech(_ container: String, _ codec: String, bitRate: Int?) -> Asset {
    Asset(
      location: .file("talk"), streamIndex: 0, container: container, codec: codec,
      sampleRate: 8000, channelLayout: .mono, bitDepth: 16, frameCount: 80_000, bitRate: bitRate,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }

  @Test(
    "AMR keeps its mode, by the bit rate of its whole bytes or by its own",
    arguments: Output.Kind.amr.bitRateModes ?? [])
  func modes(mode: Int) {
    let fileRate = Output.Kind.fileBitRate(ofAMR: mode)
    #expect((mode..<mode + 800).contains(fileRate) && fileRate.isMultiple(of: 400))
    for mean in [fileRate - 100, fileRate, fileRate + 100] {
      let asset = speech("amr", "amr_nb", bitRate: mean)
      #expect(asset.outputKind == .amr)
      #expect(
        Output.Kind.amr.format(like: asset, sampleRate: 8000, layout: .mono)
          == .amr(bitRate: mode), "\(mean)")
    }
  }

  @Test("IMA4 of CAF and AIFF-C stays IMA4, in CAF", arguments: ["caf", "aiff"])
  func ima4(container: String) {
    let asset = speech(container, "adpcm_ima_qt", bitRate: nil)
    #expect(asset.outputKind == .caf)
    #expect(
      Output.Kind.caf.format(like: asset, sampleRate: 8000, layout: .mono) == .caf(.ima4))
  }
}
