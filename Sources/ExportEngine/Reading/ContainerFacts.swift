/// Facts about containers that libavformat does not pass on. Each reads a few kilobytes.
enum ContainerFacts {}
