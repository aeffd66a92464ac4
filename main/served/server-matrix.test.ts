/** Does the loopback server keep its rules for every combination of Host, Origin, token, cookie and method, asked over real sockets? */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RPC_PATH, SESSION_PATH } from '../contract/connection.ts';
import { listPages } from './pages.ts';
import { serve, type ServedApplication } from './server.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const PATHS = ['/', SESSION_PATH, RPC_PATH] as const;
const TOKENS = ['none', 'wrong', 'used', 'valid'] as const;
const COOKIES = ['none', 'wrong', 'valid'] as const;
const HOSTS = ['127.0.0.1', 'localhost', '[::1]', 'other port', 'evil.example', 'evil suffix'] as const;
const ORIGINS = ['none', 'ours', 'ours by another name', 'null', 'http://evil.example'] as const;

type Question = { readonly method: (typeof METHODS)[number]; readonly path: string; readonly host: (typeof HOSTS)[number]; readonly origin: (typeof ORIGINS)[number]; readonly token: (typeof TOKENS)[number]; readonly cookie: (typeof COOKIES)[number]; readonly isUpgrade: boolean };

let folder: string;
let served: ServedApplication;
let cookie: string;
let usedToken: string;
let connected = 0;
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-matrix-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  served = await serve({ port: 0, pages: await listPages(folder), connect: (socket) => {
    connected += 1;
    socket.terminate();
  } });
  usedToken = newToken();
  const answer = await send({ method: 'POST', path: SESSION_PATH, host: '127.0.0.1', origin: 'ours', token: 'used', cookie: 'none', isUpgrade: false });
  cookie = answer.cookie?.split(';')[0] ?? '';
});

afterAll(async () => {
  agent.destroy();
  await served.close();
  await rm(folder, { recursive: true, force: true });
});

const newToken = (): string => new URL(served.newLink()).hash.replace('#token=', '');

function hostOf(host: Question['host']): string {
  const port = String(served.port);
  if (host === 'other port') return `127.0.0.1:${String(served.port + 1)}`;
  if (host === 'evil suffix') return `127.0.0.1.evil.example:${port}`;
  return host === 'evil.example' ? `evil.example:${port}` : `${host}:${port}`;
}

function originOf({ origin, host }: Question): string | null {
  if (origin === 'none') return null;
  if (origin === 'ours') return `http://${hostOf(host)}`;
  if (origin === 'ours by another name') return `http://${host === 'localhost' ? '127.0.0.1' : 'localhost'}:${String(served.port)}`;
  return origin;
}

type Answer = { readonly status: number; readonly cookie: string | undefined; readonly cors: readonly string[] };

function send(question: Question): Promise<Answer> {
  const origin = originOf(question);
  const headers: Record<string, string> = { host: hostOf(question.host), 'content-type': 'application/json' };
  if (origin !== null) headers['origin'] = origin;
  if (question.token !== 'none') headers['authorization'] = `Bearer ${question.token === 'wrong' ? 'w'.repeat(43) : question.token === 'used' ? usedToken : newToken()}`;
  if (question.cookie !== 'none') headers['cookie'] = question.cookie === 'valid' ? cookie : `isogloss-${String(served.port)}=${'x'.repeat(43)}`;
  if (question.isUpgrade) Object.assign(headers, { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' });
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: served.port, method: question.method, path: question.path, headers, ...(question.isUpgrade ? {} : { agent }) }, (response) => {
      response.resume();
      response.once('end', () => resolve({ status: response.statusCode ?? 0, cookie: response.headers['set-cookie']?.[0], cors: Object.keys(response.headers).filter((name) => name.startsWith('access-control-')) }));
    });
    asked.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, cookie: undefined, cors: [] });
    });
    asked.once('error', (error) => reject(new Error(`${JSON.stringify(question)}: ${error.message}`)));
    asked.end(['POST', 'PUT', 'PATCH'].includes(question.method) ? '{}' : undefined);
  });
}

/** The rules of reliability.md 2.2, said once more in other words than the gate's. */
function expected({ method, path, host, origin, token, cookie: shown, isUpgrade }: Question): number {
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(host)) return 421;
  const reads = method === 'GET' || method === 'HEAD';
  if (origin === 'none' ? !reads || isUpgrade : origin !== 'ours') return 403;
  if (isUpgrade) return method === 'GET' && path === RPC_PATH ? (shown === 'valid' ? 101 : 401) : 404;
  if (path === SESSION_PATH) return method === 'POST' ? (token === 'valid' ? 204 : 401) : 405;
  if (!reads) return 405;
  return path === '/' ? 200 : 404;
}

describe('the loopback server', () => {
  it('answers every combination as the rules say: Host, Origin, token, cookie, method, path, upgrade', async () => {
    const questions: Question[] = [];
    for (const host of HOSTS) for (const origin of ORIGINS) for (const method of METHODS) for (const path of PATHS) for (const token of TOKENS) for (const shown of COOKIES) questions.push({ host, origin, method, path, token, cookie: shown, isUpgrade: false });
    for (const host of HOSTS) for (const origin of ORIGINS) for (const path of PATHS) for (const token of ['none', 'valid'] as const) for (const shown of COOKIES) questions.push({ host, origin, method: 'GET', path, token, cookie: shown, isUpgrade: true });
    expect(questions).toHaveLength(6 * 5 * 7 * 3 * 4 * 3 + 6 * 5 * 3 * 2 * 3);

    // Those with a valid token first: after twenty wrong ones even a right one has to wait, which is asked below.
    questions.sort((a, b) => Number(isGuess(a)) - Number(isGuess(b)));
    const wrong: string[] = [];
    let guesses = 0;
    for (let from = 0; from < questions.length; from += 64) {
      await Promise.all(questions.slice(from, from + 64).map(async (question) => {
        const answer = await send(question);
        if (isGuess(question)) guesses += 1;
        if (answer.status !== expected(question)) wrong.push(`${JSON.stringify(question)}: ${String(answer.status)} instead of ${String(expected(question))}`);
        if (answer.cors.length > 0) wrong.push(`${JSON.stringify(question)}: ${answer.cors.join(', ')}`);
        if ((answer.cookie !== undefined) !== (answer.status === 204)) wrong.push(`${JSON.stringify(question)}: a cookie with ${String(answer.status)}`);
      }));
    }
    expect(wrong).toEqual([]);
    expect(connected).toBe(3 * 2); // three names of ours, with a token and without
    expect(guesses).toBeGreaterThan(15);
    expect((await send({ method: 'POST', path: SESSION_PATH, host: '127.0.0.1', origin: 'ours', token: 'valid', cookie: 'none', isUpgrade: false })).status).toBe(guesses >= 20 ? 401 : 204);
  });
});

/** A wrong or used token that reaches the exchange. */
function isGuess(question: Question): boolean {
  return question.path === SESSION_PATH && question.method === 'POST' && expected(question) === 401 && question.token !== 'none';
}
