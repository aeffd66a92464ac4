/** How does the window get its own files? app://isogloss, answered from a table; nothing else exists. */
import { readFile } from 'node:fs/promises';
import { SECURITY_HEADERS } from '../served/headers.ts';
import type { Page } from '../served/pages.ts';

export const SCHEME = 'app';
export const HOST = 'isogloss';
export const ORIGIN = `${SCHEME}://${HOST}`;
export const START_PAGE = `${ORIGIN}/index.html`;

/** What Electron must know of the scheme before it is ready. */
export const SCHEME_PRIVILEGES = { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } } as const;

/**
 * Answers one request: GET and HEAD, this host, a path that stands in the table. The table was made by walking the build, so no
 * spelling of a path ("..", "%2e", "%00", a link) leads outside it.
 */
export async function answerRequest(request: Request, pages: ReadonlyMap<string, Page>): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405);
  const url = parseUrl(request.url);
  if (url === null || url.protocol !== `${SCHEME}:` || url.host !== HOST || url.username !== '' || url.port !== '') return refuse(404);
  const page = pages.get(url.pathname);
  if (page === undefined) return refuse(404);
  const content = await readFile(page.file);
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(content), { status: 200, headers: { ...SECURITY_HEADERS, 'content-type': page.mimeType } });
}

function refuse(status: number): Response {
  return new Response(null, { status, headers: SECURITY_HEADERS });
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
