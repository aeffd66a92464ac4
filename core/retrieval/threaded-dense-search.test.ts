/** Does a thread find what is found here, beside whatever runs here, and does nothing depend on it? */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { createStaticEncoder } from '../encoding/static-encoder.ts';
import { TEST_SENTENCES, testModel } from '../encoding/test-models.ts';
import { noMatchingRules } from './matching-rules.ts';
import { createSegmentWriter, openSegments, segmentMaking } from './segments/segment-folder.ts';
import { createThreadedDenseSearch } from './threaded-dense-search.ts';
import { createTokenDenseSearch, denseIndexOf } from './token-dense-index.ts';

const folder = temporaryFolder();
const EXACT_DOCUMENTS = 10; // so that every search below chooses candidates
const DOCUMENTS = 60;

async function library() {
  const encoder = createStaticEncoder(await testModel(), 'test');
  const { tokenSums } = encoder;
  if (tokenSums === undefined) throw new Error('a static encoder has token sums');
  return { encoder, tokenSums, making: segmentMaking(encoder, noMatchingRules) };
}

beforeAll(async () => {
  const { making } = await library();
  for (const half of [0, 1]) {
    const writer = createSegmentWriter(folder.path, making);
    for (let chunk = 0; chunk < DOCUMENTS / 2; chunk += 1) {
      const text = `${TEST_SENTENCES[chunk % TEST_SENTENCES.length] ?? ''} ${TEST_SENTENCES[(3 * chunk + half) % TEST_SENTENCES.length] ?? ''}`;
      writer.add({ batch: half, chunk, path: `${half}.txt`, text, location: { line: 1, headings: [], start: 0, end: text.length }, aligned: [] });
    }
    await writer.finish();
  }
});
afterAll(() => { folder[Symbol.dispose](); });

describe('a dense search in a thread', () => {
  it('finds the same documents with the same scores, also among those that a filter lets through, many questions at once', async () => {
    const { encoder, tokenSums, making } = await library();
    const { segments } = await openSegments(folder.path, making);
    const here = createTokenDenseSearch(segments.map(({ segment }) => segment), { exactDocuments: EXACT_DOCUMENTS });
    const apart = createThreadedDenseSearch({ paths: segments.map(({ path }) => path), exactDocuments: EXACT_DOCUMENTS, here: () => here });
    const questions = ['wide river', 'maji safi', 'big house', ''];
    const allowed = Uint8Array.from({ length: DOCUMENTS }, (_, d) => d % 2);
    const found = await Promise.all(questions.flatMap((question) => [null, allowed].map(async (some) => {
      const [vector] = [await encoder.encode([question], 'query')];
      return { own: await denseIndexOf(here, tokenSums).nearest(vector, 5, some), other: await denseIndexOf(apart, tokenSums).nearest(vector, 5, some) };
    })));
    for (const { own, other } of found) expect(other).toEqual(own);
    expect(found[0]?.own.documents.length).toBe(5);
    expect([...(found[1]?.own.documents ?? [])].every((document) => document % 2 === 1)).toBe(true);
    expect(apart.isApart()).toBe(true);
    apart.close();
    expect(await denseIndexOf(apart, tokenSums).nearest(await encoder.encode(['wide river'], 'query'), 5)).toEqual(found[0]?.own); // closed: answered here
    for (const { segment } of segments) segment.close();
  });

  it('answers here when its thread has failed, and what is asked meanwhile is not lost', async () => {
    const { encoder, tokenSums, making } = await library();
    const { segments } = await openSegments(folder.path, making);
    const here = createTokenDenseSearch(segments.map(({ segment }) => segment), { exactDocuments: EXACT_DOCUMENTS });
    const apart = createThreadedDenseSearch({ paths: [...segments.map(({ path }) => path), `${folder.path}/none.seg`], exactDocuments: EXACT_DOCUMENTS, here: () => here });
    const vector = await encoder.encode(['wide river'], 'query');
    expect(await denseIndexOf(apart, tokenSums).nearest(vector, 5)).toEqual(await denseIndexOf(here, tokenSums).nearest(vector, 5));
    expect(apart.isApart()).toBe(false);
    for (const { segment } of segments) segment.close();
    await rm(folder.path, { recursive: true });
  });
});
