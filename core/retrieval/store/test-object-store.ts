/** What do tests of remote libraries talk to? As much of the S3 protocol as LanceDB uses, on loopback, in memory; signatures are not checked. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createHash, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';

export type ObjectStore = { readonly endpoint: string; readonly objects: ReadonlyMap<string, Buffer>; readonly requests: readonly string[]; readonly close: () => Promise<void> };

const OK = 200;
const PARTIAL = 206;
const NO_CONTENT = 204;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;

export async function startObjectStore(): Promise<ObjectStore> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    void readBody(request).then((body) => {
      requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      answer({ request, response, body, objects, uploads });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server that listens on a port has one
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly body: Buffer; readonly objects: Map<string, Buffer>; readonly uploads: Map<string, Map<number, Buffer>> };

function answer({ request, response, body, objects, uploads }: Exchange): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const key = decodeURIComponent(url.pathname.slice(1));
  const query = url.searchParams;
  const found = objects.get(key);
  const send = (status: number, content: Buffer | string = '', headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-length': String(Buffer.byteLength(content)), ...headers });
    response.end(request.method === 'HEAD' ? undefined : content);
  };
  const facts = (bytes: Buffer): Record<string, string> => ({ etag: etagOf(bytes), 'last-modified': new Date().toUTCString(), 'accept-ranges': 'bytes' });
  const missing = (): void => send(NOT_FOUND, '<Error><Code>NoSuchKey</Code></Error>');

  if (request.method === 'PUT' && query.has('uploadId')) {
    uploads.get(query.get('uploadId') ?? '')?.set(Number(query.get('partNumber')), body);
    send(OK, '', { etag: etagOf(body) });
  } else if (request.method === 'PUT') {
    if (request.headers['if-none-match'] === '*' && found !== undefined) send(PRECONDITION_FAILED, '<Error><Code>PreconditionFailed</Code></Error>');
    else {
      const source = request.headers['x-amz-copy-source'];
      const bytes = typeof source === 'string' ? objects.get(decodeURIComponent(source.replace(/^\//, ''))) : body;
      if (bytes === undefined) missing();
      else {
        objects.set(key, bytes);
        send(OK, typeof source === 'string' ? `<CopyObjectResult><ETag>${etagOf(bytes)}</ETag></CopyObjectResult>` : '', { etag: etagOf(bytes) });
      }
    }
  } else if (request.method === 'POST' && query.has('uploads')) {
    const id = randomUUID();
    uploads.set(id, new Map());
    send(OK, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  } else if (request.method === 'POST' && query.has('uploadId')) {
    const parts = [...(uploads.get(query.get('uploadId') ?? '') ?? [])].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
    objects.set(key, Buffer.concat(parts));
    send(OK, `<CompleteMultipartUploadResult><ETag>${etagOf(Buffer.concat(parts))}</ETag></CompleteMultipartUploadResult>`);
  } else if (request.method === 'POST' && query.has('delete')) {
    const bucket = key.split('/')[0] ?? '';
    for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(`${bucket}/${name}`);
    send(OK, '<DeleteResult></DeleteResult>');
  } else if (request.method === 'DELETE') {
    objects.delete(key);
    send(NO_CONTENT);
  } else if (query.get('list-type') === '2') send(OK, listing(objects, key.replace(/\/$/, ''), query.get('prefix') ?? '', query.get('delimiter') ?? ''), { 'content-type': 'application/xml' });
  else if (found === undefined) missing();
  else {
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (from === undefined) send(OK, found, facts(found));
    else {
      const start = from === '' ? Math.max(0, found.length - Number(to)) : Number(from);
      const end = from === '' || to === '' || to === undefined ? found.length : Math.min(found.length, Number(to) + 1);
      send(PARTIAL, found.subarray(start, end), { ...facts(found), 'content-range': `bytes ${start}-${end - 1}/${found.length}` });
    }
  }
}

const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

function listing(objects: ReadonlyMap<string, Buffer>, bucket: string, prefix: string, delimiter: string): string {
  const contents: string[] = [];
  const folders = new Set<string>();
  for (const [path, bytes] of [...objects].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!path.startsWith(`${bucket}/${prefix}`)) continue;
    const name = path.slice(bucket.length + 1);
    const cut = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    if (cut >= 0) folders.add(name.slice(0, cut + delimiter.length));
    else contents.push(`<Contents><Key>${name}</Key><LastModified>${new Date().toISOString()}</LastModified><ETag>${etagOf(bytes).replaceAll('"', '&quot;')}</ETag><Size>${bytes.length}</Size></Contents>`);
  }
  return `<?xml version="1.0"?><ListBucketResult><Name>${bucket}</Name><Prefix>${prefix}</Prefix><KeyCount>${contents.length}</KeyCount><IsTruncated>false</IsTruncated>${contents.join('')}${[...folders].map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`).join('')}</ListBucketResult>`;
}
