/** Is a good archive read whole, and a hostile one stopped at its limit? */
import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../base/errors.ts';
import { makeZip } from './test-archives.ts';
import type { TestEntry } from './test-archives.ts';
import { openZip, ZIP_LIMITS } from './zip.ts';
import type { ZipLimits } from './zip.ts';

const never = new AbortController().signal;
const MB = 1024 * 1024;

/** Opens an archive and unpacks all of it; the folder it lies in must hold nothing else afterwards. */
async function unpack(bytes: Uint8Array, limits: Partial<ZipLimits> = {}): Promise<ReadonlyMap<string, string>> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-zip-'));
  const path = join(folder.path, 'a.zip');
  await writeFile(path, bytes);
  const zip = await openZip(path, never, { area: 'documents', limits });
  try {
    const found = new Map<string, string>();
    for (const { name } of zip.entries) found.set(name, Buffer.from(await zip.read(name)).toString());
    return found;
  } finally {
    zip.close();
    expect(await readdir(folder.path)).toEqual(['a.zip']);
  }
}

const refusal = (entries: readonly TestEntry[], limits: Partial<ZipLimits> = {}): Promise<unknown> => unpack(makeZip(entries), limits).then(() => 'read', (thrown: unknown) => (thrown instanceof InputError ? thrown.code : thrown));

describe('an archive', () => {
  test('gives its files, packed or stored, with names in any script; folders are none', async () => {
    const found = await unpack(makeZip([{ name: 'mimetype', content: 'text', isStored: true }, { name: 'word/' }, { name: 'word/ไทย.xml', content: 'ภาษา'.repeat(1000) }, { name: 'empty', content: '' }]));
    expect([...found.keys()]).toEqual(['mimetype', 'word/ไทย.xml', 'empty']);
    expect(found.get('word/ไทย.xml')).toBe('ภาษา'.repeat(1000));
  });

  test('says which file is missing', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-zip-'));
    const path = join(folder.path, 'a.zip');
    await writeFile(path, makeZip([{ name: 'a' }]));
    const zip = await openZip(path, never, { area: 'documents' });
    expect([zip.has('a'), zip.has('b')]).toEqual([true, false]);
    await expect(zip.read('b')).rejects.toMatchObject({ code: 'documents.zip-missing-entry', data: { path } });
    zip.close();
    await expect(openZip(folder.path, never, { area: 'corpus' })).rejects.toMatchObject({ code: 'corpus.not-a-file' });
    await expect(openZip(join(folder.path, 'none'), never, { area: 'corpus' })).rejects.toMatchObject({ code: 'file.missing' });
    await expect(openZip(path, AbortSignal.abort(new Error('stop')), { area: 'corpus' })).rejects.toThrow('stop');
  });
});

describe('a hostile archive', () => {
  test('whose names lead out of it is refused, and nothing is written', async () => {
    for (const name of ['../evil.txt', 'a/../../evil.txt', '/etc/evil', 'C:\\evil', 'C:evil', 'a\\b.txt', 'line\nend']) expect([name, await refusal([{ name }])]).toEqual([name, 'documents.zip-unsafe-name']);
  });

  test('with a link, a name twice, a password or an entry inside another is refused', async () => {
    expect(await refusal([{ name: 'a', content: '/etc/passwd', mode: 0o120777 }])).toBe('documents.zip-link');
    expect(await refusal([{ name: 'a', content: 'x' }, { name: 'a', content: 'y' }])).toBe('documents.zip-duplicate-name');
    expect(await refusal([{ name: 'a', content: 'x', flags: 1 }])).toBe('documents.zip-encrypted');
    expect(await refusal([{ name: 'a', content: 'x', flags: 0x41 }])).toBe('documents.zip-encrypted');
    const shared = { content: 'x'.repeat(100_000), offset: 0 };
    expect(await refusal([{ name: 'a', ...shared }, { name: 'b', ...shared }])).toBe('documents.zip-overlap');
  });

  test('with more files than the limit is refused before one is read', async () => {
    const many = Array.from({ length: ZIP_LIMITS.entries + 1 }, (_, i) => ({ name: `f${i}`, isStored: true }));
    expect(await refusal(many)).toBe('documents.zip-too-many-entries');
    expect(await refusal(many.slice(0, 100))).toBe('read');
  });

  test('that unpacks to far more than it holds is stopped at the ratio, whatever it declares', async () => {
    const bomb = { name: 'a', content: Buffer.alloc(20 * MB) };
    expect(await refusal([bomb])).toBe('documents.zip-bomb');
    expect(await refusal([{ ...bomb, declaredBytes: 10 }])).toMatch(/^documents\.(?:zip-bomb|damaged-zip)$/);
    expect(await refusal([{ name: 'a', content: Buffer.alloc(MB - 1) }])).toBe('read'); // the first megabyte is free
  });

  test('is stopped at the size of one file and of all', async () => {
    const noise = Buffer.from(Uint8Array.from({ length: 40_000 }, (_, i) => (i * 2654435761) >>> 13));
    expect(await refusal([{ name: 'a', content: noise }], { entryBytes: 30_000 })).toBe('documents.zip-bomb');
    expect(await refusal([{ name: 'a', content: noise }, { name: 'b', content: noise }], { totalBytes: 60_000 })).toBe('documents.zip-bomb');
    expect(await refusal([{ name: 'a', content: noise }, { name: 'b', content: noise }], { totalBytes: 80_000 })).toBe('read');
  });

  test('with an archive inside is refused when that is read, not before', async () => {
    expect(await refusal([{ name: 'a.docx', content: makeZip([{ name: 'b', content: 'x' }]) }])).toBe('documents.zip-nested');
  });

  test('that is cut, empty or has wrong sums is damaged', async () => {
    const whole = makeZip([{ name: 'a', content: 'some text '.repeat(50) }]);
    for (const bytes of [whole.subarray(0, 60), Buffer.from('PK\u0003\u0004'), Buffer.alloc(0), whole.subarray(0, -10)]) await expect(unpack(bytes)).rejects.toMatchObject({ code: 'documents.damaged-zip' });
    expect(await refusal([{ name: 'a', content: 'right', packed: deflateRawSync('wrong') }])).toBe('documents.damaged-zip');
    expect(await refusal([{ name: 'a', content: 'right', packed: Buffer.from([7, 7, 7]) }])).toBe('documents.damaged-zip');
  });

  test('with any bytes changed is read or refused, never anything else', async () => {
    const whole = makeZip([{ name: 'a.xml', content: '<a>text</a>'.repeat(20) }, { name: 'b/c', content: 'stored', isStored: true }]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) }), { minLength: 1, maxLength: 6 }), fc.nat(whole.length), async (changes, length) => {
        const bytes = Buffer.from(whole);
        for (const { at, byte } of changes) bytes[at] = byte;
        for (const one of [bytes, bytes.subarray(0, length)]) {
          await unpack(one).catch((thrown: unknown) => {
            if (!(thrown instanceof InputError)) throw thrown;
          });
        }
      }),
      { numRuns: 150 },
    );
  });
});
