// The first real content is on its way.
