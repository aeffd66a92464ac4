/** Facts about an index of a living library: renamed, moved, swapped files, several folders, a pause, files that failed before. */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputError } from '../base/errors.ts';
import { buildIndex } from './build-index.ts';
import { createHashEncoder } from './hash-encoder.ts';
import { openIndex } from './open-index.ts';

const encoder = createHashEncoder({ width: 16 });
let embedded: string[] = [];
const counting = { ...encoder, encodeDocuments: (texts: readonly string[]) => { embedded.push(...texts); return encoder.encodeDocuments(texts); } };
const never = new AbortController().signal;
let root: string;
let documents: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'isogloss-library-'));
  documents = join(root, 'documents');
  await mkdir(join(documents, 'inner'), { recursive: true });
  await writeFile(join(documents, 'river.txt'), 'The river bank was steep.\n');
  await writeFile(join(documents, 'inner', 'money.md'), '# Money\n\nThe savings bank closed at noon.\n');
  await build();
  embedded = [];
});

afterEach(() => rm(root, { recursive: true, force: true }));

const build = (over: Partial<Parameters<typeof buildIndex>[0]> = {}) => buildIndex({ encoder: counting, documentsFolder: documents, indexFolder: join(root, 'index'), signal: never, ...over });

async function find(query: string): Promise<readonly { readonly path: string; readonly title: string }[]> {
  const index = await openIndex(join(root, 'index'), encoder);
  try {
    return (await index.search({ query, method: 'bm25' })).hits.map(({ path, title }) => ({ path, title }));
  } finally {
    index.dispose();
  }
}

describe('a file that was renamed or moved', () => {
  it('is found at its new place and not embedded again, also after further runs', async () => {
    await rename(join(documents, 'river.txt'), join(documents, 'inner', 'stream.txt'));
    await rename(join(documents, 'inner', 'money.md'), join(documents, 'money.md'));
    expect(await build()).toMatchObject({ files: 2, moved: 2, added: 0, changed: 0, removed: 0, unchanged: 0 });
    expect(embedded).toEqual([]);
    expect(await find('steep')).toEqual([{ path: 'inner/stream.txt', title: 'stream' }]); // named after its file
    expect(await find('savings')).toEqual([{ path: 'money.md', title: 'Money' }]); // has a title of its own
    expect(await build()).toMatchObject({ moved: 0, unchanged: 2, removed: 0 });
    await rename(join(documents, 'inner', 'stream.txt'), join(documents, 'brook.txt'));
    expect(await build()).toMatchObject({ moved: 1, unchanged: 1 });
    expect((await find('steep')).map(({ path }) => path)).toEqual(['brook.txt']);
    expect(embedded).toEqual([]);
  });

  it('may change names with another one', async () => {
    await rename(join(documents, 'river.txt'), join(root, 'aside'));
    await rename(join(documents, 'inner', 'money.md'), join(documents, 'river.txt'));
    await rename(join(root, 'aside'), join(documents, 'inner', 'money.md'));
    expect(await build()).toMatchObject({ files: 2, moved: 2, changed: 0 });
    expect((await find('steep')).map(({ path }) => path)).toEqual(['inner/money.md']);
    expect((await find('savings')).map(({ path }) => path)).toEqual(['river.txt']);
    expect(embedded).toEqual([]);
  });

  it('leaves its old name free for a new text', async () => {
    await rename(join(documents, 'river.txt'), join(documents, 'old-river.txt'));
    await writeFile(join(documents, 'river.txt'), 'A mountain stands here now.\n');
    expect(await build()).toMatchObject({ files: 3, moved: 1, changed: 1, removed: 0 });
    expect(embedded).toEqual(['A mountain stands here now.']);
    expect((await find('steep')).map(({ path }) => path)).toEqual(['old-river.txt']);
    expect((await find('mountain')).map(({ path }) => path)).toEqual(['river.txt']);
  });

  it('when copied, stands at both places', async () => {
    await writeFile(join(documents, 'copy.txt'), 'The river bank was steep.\n');
    expect(await build()).toMatchObject({ files: 3, moved: 0, added: 1, unchanged: 2 });
    expect((await find('steep')).map(({ path }) => path).sort()).toEqual(['copy.txt', 'river.txt']);
  });
});

describe('a library of several folders', () => {
  const folders = () => [{ name: 'documents', path: documents }, { name: 'more', path: join(root, 'more') }];

  beforeEach(async () => {
    await mkdir(join(root, 'more'));
    await writeFile(join(root, 'more', 'lake.txt'), 'The lake shore was flat.\n');
  });

  it('names each document by its folder; what was known by another name is not embedded again', async () => {
    expect(await build({ folders: folders() })).toMatchObject({ files: 3, moved: 2, added: 1 });
    expect(embedded).toEqual(['The lake shore was flat.']);
    expect((await find('flat')).map(({ path }) => path)).toEqual(['more/lake.txt']);
    expect((await find('steep')).map(({ path }) => path)).toEqual(['documents/river.txt']);
  });

  it('keeps what it knows of a folder that is away, and forgets what is deleted elsewhere', async () => {
    await build({ folders: folders() });
    await rename(join(root, 'more'), join(root, 'unplugged'));
    await rm(join(documents, 'river.txt'));
    expect(await build({ folders: folders() })).toMatchObject({ files: 2, removed: 1, missingFolders: ['more'] });
    expect((await find('flat')).map(({ path }) => path)).toEqual(['more/lake.txt']);
    await rename(join(root, 'unplugged'), join(root, 'more'));
    expect(await build({ folders: folders() })).toMatchObject({ files: 2, unchanged: 2, missingFolders: [] });
  });

  it('is refused when none of its folders is there', async () => {
    await expect(build({ folders: [{ name: 'away', path: join(root, 'away') }] })).rejects.toMatchObject({ code: 'file.missing' });
  });
});

describe('indexing', () => {
  it('waits while it is paused, goes on afterwards, and can be cancelled in between', async () => {
    await writeFile(join(documents, 'a.txt'), 'Something new.\n');
    let isPaused = true;
    const running = build({ isPaused: () => isPaused });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(embedded).toEqual([]);
    isPaused = false;
    expect(await running).toMatchObject({ added: 1 });
    const abort = new AbortController();
    const held = build({ isPaused: () => true, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(held).rejects.toThrow('enough');
  });

  it('does not try a file again that could not be read and has not changed', async () => {
    await writeFile(join(documents, 'broken.txt'), Buffer.from('%PDF-1.7 \0\0\0 binary'));
    const [failure] = (await build()).failed;
    expect(failure).toMatchObject({ path: 'broken.txt', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const known = new Map([['broken.txt', { hash: failure?.hash ?? '', error: new InputError('documents.binary-file', 'as before') }]]);
    expect((await build({ knownFailures: known })).failed[0]?.error.message).toBe('as before');
    await writeFile(join(documents, 'broken.txt'), 'Mended text.\n');
    expect(await build({ knownFailures: known })).toMatchObject({ added: 1, failed: [] });
  });
});
