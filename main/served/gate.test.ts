/** Facts about who may ask the loopback server. */
import { describe, expect, it } from 'vitest';
import { RPC_PATH, SESSION_PATH } from '../contract/connection.ts';
import { judgeRequest, type RequestHead } from './gate.ts';

const PORT = 41234;
const OTHER_PORT = 41235;

const ourHosts = [`127.0.0.1:${PORT}`, `[::1]:${PORT}`, `localhost:${PORT}`];
const foreignHosts = [
  [],
  [''],
  ['127.0.0.1'],
  ['localhost'],
  [`127.0.0.1:${OTHER_PORT}`],
  [`0.0.0.0:${PORT}`],
  [`127.0.0.2:${PORT}`],
  [`evil.example:${PORT}`],
  [`127.0.0.1.evil.example:${PORT}`],
  [`evil.example#127.0.0.1:${PORT}`],
  [`localhost.:${PORT}`],
  [`LOCALHOST:${PORT}`],
  [` 127.0.0.1:${PORT}`],
  [`127.0.0.1:${PORT}`, 'evil.example'],
  [`127.0.0.1:${PORT}`, `127.0.0.1:${PORT}`],
];
const foreignOrigins = ['null', '', 'http://evil.example', `http://127.0.0.1:${OTHER_PORT}`, `https://127.0.0.1:${PORT}`, 'http://127.0.0.1', `http://127.0.0.1:${PORT}/`, `http://127.0.0.1:${PORT}.evil.example`, 'file://', 'app://isogloss'];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT', 'get', ''];

const head = (change: Partial<RequestHead>): RequestHead => ({
  method: 'GET',
  path: '/',
  hosts: [`127.0.0.1:${PORT}`],
  origin: null,
  contentType: null,
  isUpgrade: false,
  hasSession: false,
  ...change,
});

/** Every combination, judged by the rules in words: what passes, and how often. */
function countPasses(hostLists: readonly (readonly string[])[], origins: (host: string) => readonly (string | null)[]): { readonly judged: number; readonly passed: readonly RequestHead[] } {
  const passed: RequestHead[] = [];
  let judged = 0;
  for (const hosts of hostLists) {
    for (const origin of origins(hosts[0] ?? '')) {
      for (const method of methods) {
        for (const path of ['/', '/index.html', SESSION_PATH, RPC_PATH]) {
          for (const isUpgrade of [false, true]) {
            for (const hasSession of [false, true]) {
              const request = head({ hosts, origin, method, path, isUpgrade, hasSession, contentType: 'application/json' });
              judged += 1;
              if (judgeRequest(request, PORT).kind !== 'refuse') passed.push(request);
            }
          }
        }
      }
    }
  }
  return { judged, passed };
}

describe('the gate', () => {
  it('lets nothing pass that names another host, whatever else it says', () => {
    const { judged, passed } = countPasses(foreignHosts, (host) => [null, `http://${host}`, `http://127.0.0.1:${PORT}`]);
    expect(judged).toBeGreaterThan(5_000);
    expect(passed).toEqual([]);
  });

  it('lets nothing pass that comes from another origin, whatever else it says', () => {
    const { judged, passed } = countPasses(ourHosts.map((host) => [host]), () => foreignOrigins);
    expect(judged).toBeGreaterThan(5_000);
    expect(passed).toEqual([]);
  });

  it('lets an origin of ours pass only under the name it was asked by', () => {
    expect(judgeRequest(head({ hosts: [`localhost:${PORT}`], origin: `http://127.0.0.1:${PORT}` }), PORT)).toMatchObject({ kind: 'refuse', status: 403 });
  });

  it('lets exactly these pass from our own page: reading pages, the JSON exchange, the socket with a session', () => {
    for (const host of ourHosts) {
      const { passed } = countPasses([[host]], (name) => [`http://${name}`]);
      const described = new Set(passed.map(({ method, path, isUpgrade, hasSession }) => `${method} ${path}${isUpgrade ? ' upgrade' : ''}${hasSession ? ' session' : ''}`));
      const pages = ['GET', 'HEAD'].flatMap((method) => ['/', '/index.html', RPC_PATH].flatMap((path) => [`${method} ${path}`, `${method} ${path} session`]));
      expect([...described].sort()).toEqual([...pages, `POST ${SESSION_PATH}`, `POST ${SESSION_PATH} session`, `GET ${RPC_PATH} upgrade session`].sort());
    }
  });

  it('lets without an origin only pages be read', () => {
    const { passed } = countPasses([[ourHosts[0] ?? '']], () => [null]);
    expect(passed.length).toBeGreaterThan(0);
    expect(passed.filter(({ method, isUpgrade, path }) => !['GET', 'HEAD'].includes(method) || isUpgrade || path === SESSION_PATH)).toEqual([]);
  });

  it.each([null, '', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', 'text/plain; application/json'])('takes a token only as JSON, not as %s', (contentType) => {
    const request = head({ method: 'POST', path: SESSION_PATH, origin: `http://127.0.0.1:${PORT}`, contentType });
    expect(judgeRequest(request, PORT)).toMatchObject({ kind: 'refuse', status: 415 });
    expect(judgeRequest({ ...request, contentType: 'application/json; charset=utf-8' }, PORT)).toEqual({ kind: 'session' });
  });
});
