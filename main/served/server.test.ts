/** Facts about the served application, asked over real sockets. */
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MESSAGE_LIMIT_BYTES, RPC_PATH, SESSION_PATH } from '../contract/index.ts';
import { listPages } from './pages.ts';
import { serve, type ServedApplication } from './server.ts';

let folder: string;
let served: ServedApplication;
const messages: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-served-'));
  const root = join(folder, 'window');
  await mkdir(join(root, 'assets'), { recursive: true });
  await writeFile(join(root, 'index.html'), '<!doctype html><title>Isogloss</title>');
  await writeFile(join(root, 'assets', 'main.js'), 'export {};');
  await writeFile(join(root, 'notes.exe'), 'not a page');
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await symlink(join(folder, 'secret.txt'), join(root, 'link.txt'));
  served = await serve({ port: 0, pages: await listPages(root), connect: (socket) => socket.on('message', (data) => messages.push(String(data))) });
});

afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true, force: true });
});

const origin = (): string => `http://127.0.0.1:${String(served.port)}`;
const tokenOf = (link: string): string => new URL(link).hash.replace('#token=', '');

/** Sends exactly these lines; the answer as text. */
function ask(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(served.port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

const get = (path: string, ...headers: readonly string[]): Promise<string> => ask([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${String(served.port)}`, 'Connection: close', ...headers]);

async function openSession(): Promise<string> {
  const answer = await fetch(origin() + SESSION_PATH, { method: 'POST', headers: { authorization: `Bearer ${tokenOf(served.newLink())}`, 'content-type': 'application/json', origin: origin() }, body: '{}' });
  expect(answer.status).toBe(204);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** How a WebSocket attempt ends: "open", or the HTTP status that refused it. */
function tryToConnect(headers: Readonly<Record<string, string>>, path: string = RPC_PATH): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${String(served.port)}${path}`, { headers });
    socket.once('open', () => {
      socket.terminate();
      resolve('open');
    });
    socket.once('unexpected-response', (_request, response) => {
      resolve(String(response.statusCode));
      socket.terminate();
    });
    socket.on('error', () => undefined);
  });
}

describe('pages', () => {
  it('are served with every protection, and without leave for other sites', async () => {
    const answer = await fetch(origin());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('carry the protections also when they refuse', async () => {
    const answer = await get('/nothing-here');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('content-security-policy');
  });

  it.each(['/../secret.txt', '/assets/../../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/assets/..%5c..%5csecret.txt', '//secret.txt', '/link.txt', '/notes.exe', '/assets', '/assets/', '/index.html%00.js', '/./index.html', `/${'a/'.repeat(3000)}`])(
    'do not exist at %s',
    async (path) => {
      expect(await get(path)).toMatch(/^HTTP\/1\.1 (404|400) /);
    },
  );

  it('exist at their own address, with a query or without', async () => {
    expect(await get('/assets/main.js')).toMatch(/^HTTP\/1\.1 200 [\s\S]*export \{\};/);
    expect(await get('/index.html?x=../secret.txt')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are refused to a host named twice, and to one named wrongly', async () => {
    const own = `127.0.0.1:${String(served.port)}`;
    expect(await ask(['GET / HTTP/1.1', `Host: ${own}`, 'Host: evil.example', 'Connection: close'])).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await ask(['GET / HTTP/1.1', 'Host: evil.example', `Host: ${own}`, 'Connection: close'])).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await ask(['GET / HTTP/1.1', 'Host: evil.example', 'Connection: close'])).toMatch(/^HTTP\/1\.1 421 /);
    expect(await ask([`GET http://evil.example/ HTTP/1.1`, `Host: ${own}`, 'Connection: close'])).toMatch(/^HTTP\/1\.1 404 /);
    expect(await ask(['GET / HTTP/1.1', 'Connection: close'])).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

/** Whether this machine has the loopback address of IPv6. */
const hasSix = await new Promise<boolean>((resolve) => {
  const probe = createServer();
  probe.once('error', () => resolve(false));
  probe.listen(0, '::1', () => probe.close(() => resolve(true)));
});

describe.skipIf(!hasSix)('the loopback address of IPv6', () => {
  const six = (): string => `http://[::1]:${String(served.port)}`;

  it('serves the same pages on the same port, and a session opened there opens the socket', async () => {
    expect((await fetch(six())).status).toBe(200);
    const answer = await fetch(six() + SESSION_PATH, { method: 'POST', headers: { authorization: `Bearer ${tokenOf(served.newLink())}`, 'content-type': 'application/json', origin: six() }, body: '{}' });
    expect(answer.status).toBe(204);
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const socket = new WebSocket(`ws://[::1]:${String(served.port)}${RPC_PATH}`, { headers: { cookie, origin: six() } });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.terminate();
  });

  it('is closed with the other one; a port that is taken on it is not used', async () => {
    const one = await serve({ port: 0, pages: new Map(), connect: () => undefined });
    await expect(serve({ port: one.port, pages: new Map(), connect: () => undefined })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await one.close();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(one.port, '::1', resolve));
    await expect(serve({ port: one.port, pages: new Map(), connect: () => undefined })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await new Promise((resolve) => taken.close(resolve));
    const again = await serve({ port: one.port, pages: new Map(), connect: () => undefined }); // the first address was let go of
    await again.close();
  });
});

describe('a session', () => {
  it('is opened once by a link, and the answer hides its cookie from scripts', async () => {
    const token = tokenOf(served.newLink());
    const request = { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', origin: origin() }, body: '{}' };
    const first = await fetch(origin() + SESSION_PATH, request);
    expect(first.status).toBe(204);
    expect(first.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
    expect((await fetch(origin() + SESSION_PATH, request)).status).toBe(401);
  });

  it('is not opened from another page, without JSON, without a token, or by a large body', async () => {
    const post = (headers: Readonly<Record<string, string>>, body = '{}'): Promise<Response> => fetch(origin() + SESSION_PATH, { method: 'POST', headers: { authorization: `Bearer ${tokenOf(served.newLink())}`, ...headers }, body });
    expect((await post({ 'content-type': 'application/json', origin: 'http://evil.example' })).status).toBe(403);
    expect((await post({ 'content-type': 'application/json' })).status).toBe(403);
    expect((await post({ 'content-type': 'text/plain', origin: origin() })).status).toBe(415);
    expect((await post({ 'content-type': 'application/json', origin: origin(), authorization: '' })).status).toBe(401);
    expect((await post({ 'content-type': 'application/json', origin: origin() }, 'x'.repeat(10_000))).status).toBe(413);
  });

  it('asked for by somebody who leaves in the middle of it ends nothing: the program goes on', async () => {
    const half = ['POST /session HTTP/1.1', `Host: 127.0.0.1:${String(served.port)}`, `Origin: ${origin()}`, 'Content-Type: application/json', 'Content-Length: 100', '', '{'].join('\r\n');
    const faults: unknown[] = [];
    const note = (fault: unknown): unknown => faults.push(fault);
    process.on('unhandledRejection', note);
    await new Promise<void>((resolve) => {
      const socket = connect(served.port, '127.0.0.1', () => socket.write(half, () => socket.destroy()));
      socket.once('close', () => resolve());
    });
    expect(await get('/')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await openSession()).not.toBe(''); // after the broken one was read to its end
    process.off('unhandledRejection', note);
    expect(faults).toEqual([]);
  });

  it('alone opens the socket, and only from our own page', async () => {
    const cookie = await openSession();
    expect(await tryToConnect({ cookie, origin: origin() })).toBe('open');
    expect(await tryToConnect({ origin: origin() })).toBe('401');
    expect(await tryToConnect({ cookie: `${cookie}x`, origin: origin() })).toBe('401');
    expect(await tryToConnect({ cookie })).toBe('403');
    expect(await tryToConnect({ cookie, origin: 'http://evil.example' })).toBe('403');
    expect(await tryToConnect({ cookie, origin: origin(), host: 'evil.example' })).toBe('421');
    expect(await tryToConnect({ cookie, origin: origin() }, '/other')).toBe('404');
  });
});

describe('the socket', () => {
  it('closes on a message that is too large, and the program goes on', async () => {
    const cookie = await openSession();
    const socket = new WebSocket(`ws://127.0.0.1:${String(served.port)}${RPC_PATH}`, { headers: { cookie, origin: origin() } });
    socket.on('error', () => undefined);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.once('open', () => socket.send(Buffer.alloc(MESSAGE_LIMIT_BYTES + 1)));
    expect(await closed).toBe(1009);
    expect(await tryToConnect({ cookie, origin: origin() })).toBe('open');
  });

  it('closes on a flood', async () => {
    const cookie = await openSession();
    const socket = new WebSocket(`ws://127.0.0.1:${String(served.port)}${RPC_PATH}`, { headers: { cookie, origin: origin() } });
    socket.on('error', () => undefined);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.once('open', () => {
      for (let i = 0; i < 20_000; i += 1) socket.send('x');
    });
    expect(await closed).toBe(1008);
    expect(messages.length).toBeGreaterThan(0);
  });
});
