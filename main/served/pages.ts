/** Which files does the window consist of? A table from URL path to file, made once; what is not in it does not exist. */
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** Total over what a build may hold; a file of another kind is not served. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

export type Page = { readonly file: string; readonly mimeType: string };

/** Every servable file below `root`; links are not followed. "/" is index.html. An absent folder gives an empty table. */
export async function listPages(root: string): Promise<ReadonlyMap<string, Page>> {
  const pages = new Map<string, Page>();
  const entries = await readdir(root, { withFileTypes: true, recursive: true }).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return [];
    throw thrown;
  });
  for (const entry of entries) {
    const mimeType = MIME_TYPES[extname(entry.name)];
    if (!entry.isFile() || mimeType === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${file.slice(root.length).split(/[\\/]/).filter(Boolean).map(encodeURIComponent).join('/')}`;
    pages.set(path, { file, mimeType });
  }
  const index = pages.get('/index.html');
  if (index !== undefined) pages.set('/', index);
  return pages;
}
