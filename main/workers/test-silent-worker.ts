/** A worker for tests that never answers. */
process.on('message', () => undefined);
process.on('disconnect', () => process.exit(0));
