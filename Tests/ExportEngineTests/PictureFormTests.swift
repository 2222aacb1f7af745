import LibAV
import Testing

@testable import ExportEngine

@Suite("Forms of pictures") struct PictureFormTests {
  @Test("the longer side of what is made smaller is exact, whatever it was")
  func limited() {
    for longer in 1921...12_000 {
      let form = PictureForm(width: longer, height: longer * 9 / 16).limited(to: 1920)
      #expect(form.width == 1920 && (1078...1080).contains(form.height), "\(longer): \(form)")
      let turned = PictureForm(width: longer / 3, height: longer).limited(to: 1920)
      #expect(turned.height == 1920 && (638...640).contains(turned.width), "\(longer): \(turned)")
    }
    let small = PictureForm(width: 1920, height: 3, pixelFormat: "gray")
    #expect(small.limited(to: 1920) == small)
    #expect(PictureForm(width: 100_000, height: 10).limited(to: 1920).height == 2)
  }
}
