/** Facts about the Electron program, checked without Electron's binary. */
import { EventEmitter } from 'node:events';
import { mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listPages, type Page } from '../served/pages.ts';
import { CONNECT_CHANNEL } from './channel.ts';
import { acceptPorts } from './connection.ts';
import { answerRequest, ORIGIN, START_PAGE } from './protocol.ts';
import { isOurFrame, refuseNavigation, refuseNetwork, refusePermissions, refusedSwitches, windowOptions } from './security.ts';
import { utilityProcesses, type Child } from './utility-process.ts';

describe('a window', () => {
  it('is made with every protection on', () => {
    expect(windowOptions('preload.cjs').webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      webSecurity: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
    });
  });
});

describe('navigation', () => {
  it('is prevented in every way, and no window opens another', () => {
    const app = new EventEmitter();
    refuseNavigation(app as unknown as Parameters<typeof refuseNavigation>[0]);
    let open: ((details: unknown) => { action: string }) | null = null;
    const contents = Object.assign(new EventEmitter(), { setWindowOpenHandler: (handler: typeof open) => (open = handler) });
    app.emit('web-contents-created', {}, contents);
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview']) {
      const preventDefault = vi.fn();
      contents.emit(name, { preventDefault });
      expect(preventDefault, name).toHaveBeenCalledOnce();
    }
    expect((open as ((details: unknown) => { action: string }) | null)?.({ url: 'https://example.org' })).toEqual({ action: 'deny' });
  });
});

describe('permissions', () => {
  it('are refused, every one that Electron knows', async () => {
    const typings = await readFile(fileURLToPath(new URL('../../node_modules/electron/electron.d.ts', import.meta.url)), 'utf8');
    const names = [...(/setPermissionRequestHandler\([^;]*?permission: ([^,)]*)/s.exec(typings)?.[1] ?? '').matchAll(/'([\w-]+)'/g)].map((match) => match[1] ?? '');
    expect(names.length).toBeGreaterThan(5);
    const session = { setPermissionRequestHandler: vi.fn(), setPermissionCheckHandler: vi.fn(), setDevicePermissionHandler: vi.fn() };
    refusePermissions(session);
    for (const name of names) {
      const answer = vi.fn();
      session.setPermissionRequestHandler.mock.calls[0]?.[0](null, name, answer);
      expect(answer).toHaveBeenCalledExactlyOnceWith(false);
      expect(session.setPermissionCheckHandler.mock.calls[0]?.[0](null, name, ORIGIN)).toBe(false);
    }
    expect(session.setDevicePermissionHandler.mock.calls[0]?.[0]({})).toBe(false);
  });
});

describe('the network', () => {
  const isCancelled = (url: string, isPackaged: boolean): boolean => {
    const webRequest = { onBeforeRequest: vi.fn() };
    refuseNetwork({ webRequest }, { isPackaged });
    const answer = vi.fn();
    webRequest.onBeforeRequest.mock.calls[0]?.[0]({ url }, answer);
    return (answer.mock.calls[0]?.[0] as { cancel: boolean }).cancel;
  };

  it.each(['http://127.0.0.1', 'https://example.org', 'ws://localhost:1', 'wss://x', 'file:///etc/passwd', 'ftp://x', 'smb://x', 'javascript:1', 'devtools://x', 'nonsense', ''])('is closed to %s', (url) => {
    expect(isCancelled(url, true)).toBe(true);
  });

  it.each([`${ORIGIN}/index.html`, 'blob:app://isogloss/1', 'data:image/png;base64,'])('is not asked for %s', (url) => {
    expect(isCancelled(url, true)).toBe(false);
  });
});

describe('app://isogloss', () => {
  let folder: string;
  let pages: ReadonlyMap<string, Page>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'isogloss-pages-'));
    await mkdir(join(folder, 'window', 'assets'), { recursive: true });
    await writeFile(join(folder, 'window', 'index.html'), '<!doctype html>');
    await writeFile(join(folder, 'window', 'assets', 'main.js'), 'export {};');
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await symlink(folder, join(folder, 'window', 'up'));
    pages = await listPages(join(folder, 'window'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('answers its own pages with every protection', async () => {
    const answer = await answerRequest(new Request(START_PAGE), pages);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('<!doctype html>');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await answerRequest(new Request(`${ORIGIN}/assets/main.js?v=1`, { method: 'HEAD' }), pages)).status).toBe(200);
  });

  it('answers no other host, scheme or method', async () => {
    for (const url of ['app://other/index.html', 'https://isogloss/index.html', 'app://isogloss.evil/index.html', 'app://user@isogloss/index.html', 'app://isogloss:1/index.html']) {
      const request = { url, method: 'GET' } as unknown as Request; // Request itself refuses some of these
      expect((await answerRequest(request, pages)).status, url).toBe(404);
    }
    expect((await answerRequest(new Request(START_PAGE, { method: 'POST' }), pages)).status).toBe(405);
  });

  it('leads nowhere else, however a path is spelt', async () => {
    const part = fc.constantFrom('..', '.', '%2e%2e', '%2E.', '..%2f', '%5c', '\\', '%00', 'up', 'secret.txt', 'assets', 'main.js', '', '%252e%252e', 'index.html', '\u2025');
    let others = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const answer = await answerRequest({ url: `${ORIGIN}/${parts.join('/')}`, method: 'GET' } as unknown as Request, pages);
        if (answer.status !== 200) others += 1;
        expect(await answer.text()).not.toContain('secret');
      }),
      { numRuns: 2_000, seed: 1 },
    );
    expect(others).toBeGreaterThan(500);
  });
});

describe('the message port', () => {
  it.each([
    [{ url: START_PAGE, parent: null }, true],
    [{ url: `${ORIGIN}/`, parent: null }, true],
    [{ url: START_PAGE, parent: {} }, false],
    [{ url: 'app://isogloss.evil/index.html', parent: null }, false],
    [{ url: 'https://isogloss/', parent: null }, false],
    [{ url: 'about:blank', parent: null }, false],
    [{ url: '', parent: null }, false],
    [null, false],
  ])('of frame %j is taken: %s', (frame, expected) => {
    expect(isOurFrame(frame)).toBe(expected);
    const ipc = new EventEmitter();
    const connect = vi.fn();
    const port = { start: vi.fn(), close: vi.fn() };
    acceptPorts(ipc as unknown as Parameters<typeof acceptPorts>[0], connect);
    ipc.emit(CONNECT_CHANNEL, { senderFrame: frame, ports: [port] });
    expect(connect).toHaveBeenCalledTimes(expected ? 1 : 0);
    expect(port.close).toHaveBeenCalledTimes(expected ? 0 : 1);
  });

  it('comes alone or not at all', () => {
    const ipc = new EventEmitter();
    const connect = vi.fn();
    const ports = [{ start: vi.fn(), close: vi.fn() }, { start: vi.fn(), close: vi.fn() }];
    acceptPorts(ipc as unknown as Parameters<typeof acceptPorts>[0], connect);
    ipc.emit(CONNECT_CHANNEL, { senderFrame: { url: START_PAGE, parent: null }, ports });
    ipc.emit(CONNECT_CHANNEL, { senderFrame: { url: START_PAGE, parent: null }, ports: [] });
    expect(connect).not.toHaveBeenCalled();
    for (const { close } of ports) expect(close).toHaveBeenCalledOnce();
  });
});

describe('switches', () => {
  it('that open the program to others are refused, and paths are not', () => {
    const refused = ['--remote-debugging-port=9222', '--remote-debugging-pipe', '--inspect', '--inspect-brk=0', '-inspect', '--js-flags=--expose-gc', '--no-sandbox', '--disable-web-security', ' --remote-debugging-port=9222', '/remote-debugging-port=9222', '--Remote-Debugging-Port=9222', '--inspect-wait', '--renderer-cmd-prefix=gdb', '--browser-subprocess-path=elsewhere'];
    expect(refusedSwitches([...refused, '/projects/--inspect', '/inspections/a.isogloss', 'my project', '--lang=sw'])).toEqual(refused);
  });
});

describe('a worker', () => {
  it('is a utility process without our secrets, and ends when asked', () => {
    const child = Object.assign(new EventEmitter(), { postMessage: vi.fn(), kill: vi.fn(() => true), stderr: null, pid: undefined });
    const fork = vi.fn(() => child as unknown as Child);
    process.env['SECRET_TOKEN'] = 'secret';
    const worker = utilityProcesses(fork, (name) => `${name}.mjs`)('search');
    delete process.env['SECRET_TOKEN'];
    expect(fork).toHaveBeenCalledExactlyOnceWith('search.mjs', [], expect.objectContaining({ serviceName: 'isogloss-search', env: expect.not.objectContaining({ SECRET_TOKEN: 'secret' }) }));
    const received: unknown[] = [];
    worker.onMessage((message) => received.push(message));
    worker.onExit((end) => received.push(end));
    worker.post('hello');
    child.emit('message', 'answer');
    child.emit('exit', 3);
    worker.kill('ask');
    expect(child.postMessage).toHaveBeenCalledExactlyOnceWith('hello');
    expect(received).toEqual(['answer', { code: 3, signal: null, stderr: '' }]);
    expect(child.kill).toHaveBeenCalledOnce();
  });
});
