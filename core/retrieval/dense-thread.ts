/** Thread: searches the segments of one index by tokens. It owns what it read and nothing else; it ends by itself when told to. */
import { parentPort, workerData } from 'node:worker_threads';
import { openSectionFile } from './segments/section-file.ts';
import { openSegment } from './segments/segment.ts';
import type { ThreadData, ThreadQuestion } from './threaded-dense-search.ts';
import { createTokenDenseSearch } from './token-dense-index.ts';

const { paths, exactDocuments } = workerData as ThreadData; // boundary: both sides are one program (threaded-dense-search.ts)
const segments = paths.map((path) => openSegment(openSectionFile(path)));
const search = createTokenDenseSearch(segments, { exactDocuments });

parentPort?.on('message', (question: ThreadQuestion | null) => {
  if (question === null) {
    for (const segment of segments) segment.close();
    parentPort?.close();
    return;
  }
  const { number, query, depth, allowed } = question;
  parentPort?.postMessage({ number, list: search.nearest(query, depth, allowed) });
});
