/** What do tests of remote libraries talk to? s3rver, an S3-compatible server on loopback, which checks signatures; its objects lie in a folder. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import S3rver from 's3rver';

/** The only account that s3rver knows. */
export const OBJECT_STORE_ACCOUNT = { key: 'S3RVER', secret: 'S3RVER' } as const;

export type ObjectStore = { readonly endpoint: string; readonly keys: () => Promise<readonly string[]>; readonly close: () => Promise<void> };

/** The file in which s3rver keeps an object is named KEY + this ending. */
const OBJECT_ENDING = '._S3rver_object';

/** @param bucket  the one bucket that it has. */
export async function startObjectStore(bucket: string): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'isogloss-objects-'));
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: bucket, configs: [] }] });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    keys: async () => {
      const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter(({ name }) => name.endsWith(OBJECT_ENDING));
      return files.map(({ parentPath, name }) => relative(directory, join(parentPath, name)).slice(0, -OBJECT_ENDING.length).split(sep).join('/'));
    },
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
