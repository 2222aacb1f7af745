internal import CALSA

/// The functions of alsa-lib, which is loaded at the first use; nil where it is not there. What
/// opens, lists or searches devices calls `loadALSA` first.
let alsa: avjob_alsa = {
  var functions = avjob_alsa()
  return avjob_load_alsa("libasound.so.2", &functions) != 0 ? functions : avjob_alsa()
}()

/// Loads alsa-lib.
///
/// - Throws: An error of kind `.libraryMissing` where it is not there.
func loadALSA() throws(ALSAError) {
  guard alsa.strerror != nil else { throw .libraryMissing }
}
