import Testing

@testable import Files

@Suite("Labels of bags")
struct BagLabelsTests {
  @Test("labels that follow from the bag are known in capitals and small letters, and no others")
  func own() {
    #expect(["Bagging-Date", "BAG-SOFTWARE-AGENT", "payload-oxum"].allSatisfy(BagLabels.isOwn))
    #expect(!BagLabels.isOwn("Source-Organization"))
  }
}
