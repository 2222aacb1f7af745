import Glibc

/// Decibels between the highest signal and the difference of two pictures of a byte for each pixel (PSNR);
/// infinite where they are equal, and not a number where they have not one size. Here, where code is optimized
/// (`Signal` tells why): tests compare thousands of pictures.
public func likeness(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Double {
  guard one.count == other.count else { return .nan }
  var error = 0
  for (first, second) in zip(one, other) {
    let difference = Int(first) - Int(second)
    error += difference * difference
  }
  return error == 0 ? .infinity : 10 * log10(255 * 255 * Double(one.count) / Double(error))
}
