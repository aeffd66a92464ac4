/** How do requests reach the program over loopback? HTTP for the window's files, one WebSocket for the calls. */
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { MESSAGE_LIMIT_BYTES } from '../contract/limits.ts';
import { judgeRequest, type RequestHead } from './gate.ts';
import { SECURITY_HEADERS } from './headers.ts';
import type { Page } from './pages.ts';
import { createSessions, sessionCookie, sessionIdFrom, type Sessions } from './sessions.ts';

const LOOPBACK = '127.0.0.1';
/** Browsers that are asked for "localhost" try this one first. */
const LOOPBACK_6 = '::1';
/** A machine without IPv6 says one of these. */
const NO_SUCH_ADDRESS: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
/** How often another port is tried when the free one of one address is taken on the other. */
const MOST_TRIES = 10;
const MAXIMUM_SOCKETS = 32;
const HEADER_LIMIT_BYTES = 16 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const SESSION_BODY_LIMIT_BYTES = 1024;
/** A window sends tens of messages a second at its busiest; a flood is a fault or an attack. */
const MESSAGES_PER_SECOND = 2_000;
const POLICY_VIOLATION = 1008;

export type ServedApplication = {
  readonly port: number;
  /** A link that opens the application once. */
  readonly newLink: () => string;
  readonly close: () => Promise<void>;
};

export type ServerOptions = {
  /** 0: any free one. */
  readonly port: number;
  readonly pages: ReadonlyMap<string, Page>;
  /** Called for each socket that passed the gate. */
  readonly connect: (socket: WebSocket) => void;
};

/** Opens the server on 127.0.0.1 and, where the machine has it, ::1, on one port. @throws what listening throws (EADDRINUSE). */
export async function serve(options: ServerOptions): Promise<ServedApplication> {
  const sessions = createSessions(() => performance.now());
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_LIMIT_BYTES, perMessageDeflate: false });
  const { servers, port } = await listenOnLoopback(options.port);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => void answer({ request, response, port, sessions, pages: options.pages });
  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    const decision = judgeRequest(headOf(request, { isUpgrade: true, port, sessions }), port);
    if (decision.kind !== 'socket') {
      refuseUpgrade(stream, decision.kind === 'refuse' ? decision.status : 404);
    } else if (sockets.clients.size >= MAXIMUM_SOCKETS) {
      refuseUpgrade(stream, 503);
    } else {
      sockets.handleUpgrade(request, stream, head, (socket) => {
        socket.on('error', () => socket.terminate()); // too large or malformed: ws has already answered
        limitRate(socket);
        options.connect(socket);
      });
    }
  };
  for (const server of servers) server.on('request', onRequest).on('upgrade', onUpgrade);
  return {
    port,
    newLink: () => `http://${LOOPBACK}:${String(port)}/#token=${sessions.issueToken()}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      await Promise.all(servers.map(closed));
    },
  };
}

/** One server for each loopback address of this machine. */
async function listenOnLoopback(wanted: number): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const first = await listen(LOOPBACK, wanted);
    const port = portOf(first);
    try {
      return { servers: [first, await listen(LOOPBACK_6, port)], port };
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
      if (NO_SUCH_ADDRESS.has(code)) return { servers: [first], port };
      await closed(first);
      if (code !== 'EADDRINUSE' || wanted !== 0 || attempt >= MOST_TRIES) throw thrown;
    }
  }
}

function listen(address: string, port: number): Promise<Server> {
  const server = createServer({ maxHeaderSize: HEADER_LIMIT_BYTES, requestTimeout: REQUEST_TIMEOUT_MS });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, ipv6Only: address === LOOPBACK_6 }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly port: number;
  readonly sessions: Sessions;
  readonly pages: ReadonlyMap<string, Page>;
};

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, port, sessions } = exchange;
  const head = headOf(request, { isUpgrade: false, port, sessions });
  const decision = judgeRequest(head, port);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  if (decision.kind === 'page') return sendPage(exchange, head);
  if (decision.kind === 'session') return openSession(exchange);
  request.resume();
  end(response, decision.kind === 'refuse' ? decision.status : 404, decision.kind === 'refuse' ? decision.reason : 'not here');
}

async function sendPage({ request, response, pages }: Exchange, head: RequestHead): Promise<void> {
  request.resume();
  const page = pages.get(head.path);
  if (page === undefined) return end(response, 404, 'not here');
  const size = await stat(page.file).then((found) => found.size, () => null);
  if (size === null) return end(response, 404, 'not here');
  response.writeHead(200, { 'content-type': page.mimeType, 'content-length': size });
  if (head.method === 'HEAD') {
    response.end();
    return;
  }
  createReadStream(page.file)
    .on('error', () => response.destroy())
    .pipe(response);
}

async function openSession({ request, response, port, sessions }: Exchange): Promise<void> {
  const body = await bodySize(request);
  if (body === 'gone') {
    response.destroy();
    return;
  }
  if (body > SESSION_BODY_LIMIT_BYTES) {
    end(response, 413, 'too large');
    request.destroy();
    return;
  }
  const token = /^Bearer ([A-Za-z0-9_-]{20,100})$/.exec(request.headers.authorization ?? '')?.[1];
  const id = token === undefined ? null : sessions.exchange(token);
  if (id === null) return end(response, 401, 'this link has been used or was never made');
  response.setHeader('set-cookie', sessionCookie(port, id));
  response.writeHead(204).end();
}

/** Bytes that came, counted up to just beyond the limit; 'gone' when whoever asked left on the way. */
async function bodySize(request: IncomingMessage): Promise<number | 'gone'> {
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length; // an IncomingMessage without encoding yields Buffers
      if (bytes > SESSION_BODY_LIMIT_BYTES) break;
    }
  } catch {
    return 'gone'; // nobody is left to be told, and it is no fault of ours
  }
  return bytes;
}

function headOf(request: IncomingMessage, { isUpgrade, port, sessions }: { isUpgrade: boolean; port: number; sessions: Sessions }): RequestHead {
  const id = sessionIdFrom(request.headers.cookie, port);
  return {
    method: request.method ?? '',
    path: (request.url ?? '').split('?')[0] ?? '',
    hosts: request.headersDistinct['host'] ?? [],
    origin: request.headers.origin ?? null,
    contentType: request.headers['content-type'] ?? null,
    isUpgrade,
    hasSession: id !== null && sessions.isSession(id),
  };
}

function end(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${reason}\n`);
}

function refuseUpgrade(stream: Duplex, status: number): void {
  stream.end(`HTTP/1.1 ${String(status)} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function limitRate(socket: WebSocket): void {
  let windowStart = performance.now();
  let messages = 0;
  socket.on('message', () => {
    const time = performance.now();
    if (time - windowStart > 1000) {
      windowStart = time;
      messages = 0;
    }
    messages += 1;
    if (messages > MESSAGES_PER_SECOND) socket.close(POLICY_VIOLATION, 'too many messages');
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has an address and a port.');
  return address.port;
}
