/** A library whose tables lie beyond this machine: the same code, against an S3-compatible server on loopback. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStaticEncoder } from '../encoding/static-encoder.ts';
import { testModel } from '../encoding/test-models.ts';
import { buildIndex } from './build-index.ts';
import { createHashEncoder } from './hash-encoder.ts';
import { openIndex } from './open-index.ts';
import { checkedLocation } from './store/store-location.ts';
import { OBJECT_STORE_ACCOUNT, startObjectStore, type ObjectStore } from './store/test-object-store.ts';

const environment = { AWS_ACCESS_KEY_ID: OBJECT_STORE_ACCOUNT.key, AWS_SECRET_ACCESS_KEY: OBJECT_STORE_ACCOUNT.secret, AWS_REGION: 'us-east-1', AWS_ALLOW_HTTP: 'true' };
let server: ObjectStore;
let root = '';

beforeAll(async () => {
  server = await startObjectStore('archive');
  root = await mkdtemp(join(tmpdir(), 'isogloss-remote-'));
  for (const [name, value] of Object.entries({ ...environment, AWS_ENDPOINT: server.endpoint })) process.env[name] = value;
});

afterAll(async () => {
  for (const name of [...Object.keys(environment), 'AWS_ENDPOINT']) delete process.env[name];
  await server.close();
  await rm(root, { recursive: true, force: true });
});

describe('a library at s3://', () => {
  it.each(['vectors', 'tokens'])('is built, searched, changed and made whole again as one on the disk (%s); no credentials reach its folder', async (kind) => {
    const encoder = kind === 'vectors' ? createHashEncoder({ width: 16 }) : createStaticEncoder(await testModel(), 'static');
    const [documentsFolder, indexFolder] = [join(root, `${kind}-documents`), join(root, `${kind}-index`)];
    await mkdir(documentsFolder);
    await writeFile(join(documentsFolder, 'river.txt'), 'The river is wide after the rain.');
    await writeFile(join(documentsFolder, 'hill.txt'), 'A big house stands on the hill.');
    const build = () => buildIndex({ encoder, documentsFolder, indexFolder, location: `s3://archive/${kind}/`, signal: new AbortController().signal });
    const find = async (query: string): Promise<readonly string[]> => {
      const index = await openIndex(indexFolder, encoder);
      try {
        expect((await index.search({ query, method: 'dense' })).hits.length).toBeGreaterThan(0);
        return (await index.search({ query, method: 'bm25' })).hits.map(({ path, text }) => `${path}: ${text}`);
      } finally {
        index.dispose();
      }
    };
    expect(await build()).toMatchObject({ added: 2 });
    expect((await server.keys()).some((key) => key.startsWith(`archive/${kind}/chunks.lance/data/`))).toBe(true);
    expect(await readdir(indexFolder)).not.toContain('lance');
    expect(await find('rain')).toEqual(['river.txt: The river is wide after the rain.']);
    await writeFile(join(documentsFolder, 'hill.txt'), 'They carry clean water from the well.');
    expect(await build()).toMatchObject({ changed: 1, unchanged: 1 });
    expect(await find('water')).toEqual(['hill.txt: They carry clean water from the well.']);
    await rm(join(indexFolder, 'segments'), { recursive: true });
    expect(await find('water')).toHaveLength(1);
    for (const file of ['index.json', 'journal.jsonl', 'seal.json']) expect(await readFile(join(indexFolder, file), 'utf8')).not.toContain(OBJECT_STORE_ACCOUNT.secret);
  });
});

describe('the address of a library', () => {
  it('is one that LanceDB knows, without credentials', () => {
    expect(['s3://archive/my texts/', 'GS://bucket', 'az://container/a', 'db://linguists'].map(checkedLocation)).toEqual(['s3://archive/my texts', 'gs://bucket', 'az://container/a', 'db://linguists']);
    for (const wrong of ['https://example.org/x', '/var/texts', 'C:\\texts', 's3:/x', '']) expect(() => checkedLocation(wrong)).toThrow(expect.objectContaining({ code: 'index.unknown-location' }));
    for (const leaking of ['s3://user:pass@bucket/x', 's3://bucket/x?aws_secret_access_key=abc', 'az://c/x?sig=1']) expect(() => checkedLocation(leaking)).toThrow(expect.objectContaining({ code: 'index.credentials-in-location' }));
  });
});
