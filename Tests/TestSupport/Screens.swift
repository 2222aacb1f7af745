import Testing

/// Compares screens, and prints the one found whole where they differ.
public func expect(
  _ screen: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(screen == expected, "\n\(screen)\n", sourceLocation: sourceLocation)
}
