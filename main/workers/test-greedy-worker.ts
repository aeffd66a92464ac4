/** A worker for tests that takes memory until it gets no more: as a hostile model would make one do. */
const held: Buffer[] = [];
process.on('message', () => {
  for (;;) held.push(Buffer.alloc(256 * 2 ** 20));
});
