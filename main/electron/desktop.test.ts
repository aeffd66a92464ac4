/** Does the Electron program do what a desktop application does? main.ts itself is driven, against a fake of Electron that has Electron's own types. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { MenuItemConstructorOptions } from 'electron';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { IsoglossClient, RecentProject, Wish } from '../contract/index.ts';
import { CONNECT_CHANNEL } from './channel.ts';
import { startDesktop, type Desktop, type DesktopFacts } from './desktop.ts';
import { menuTemplate } from './menu.ts';
import { openedPath, ownArguments } from './opened-path.ts';
import { START_PAGE } from './protocol.ts';
import { squirrelCommands } from './squirrel.ts';
import { createFakeElectron, type FakeElectron, type Listened } from './test-electron.ts';
import { DESKTOP_WORDS, spokenLanguage, wordsOf } from './words.ts';

const said: { current: FakeElectron | null } = vi.hoisted(() => ({ current: null }));
vi.mock('electron', () => {
  if (said.current === null) throw new Error('The fake is not there yet.');
  return said.current.parts;
});

let folder: string;
let electron: FakeElectron;
let desktop: Desktop;
const heard: Wish[] = [];
let client: IsoglossClient;
const channel = new MessageChannel();
const argvBefore = process.argv;
const homeBefore = process.env['ISOGLOSS_HOME'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-desktop-'));
  await mkdir(join(folder, 'build', 'renderer'), { recursive: true });
  await writeFile(join(folder, 'build', 'renderer', 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'shared.isogloss'), 'x');
  await mkdir(join(folder, 'home'));
  await writeFile(join(folder, 'home', 'window.json'), JSON.stringify({ x: 5000, y: 40, width: 900, height: 600, isMaximized: true, zoomLevel: 1 }));
  electron = createFakeElectron({ appPath: folder, locale: 'fr-CA' });
  said.current = electron;
  process.argv = ['/opt/isogloss/electron', folder, join(folder, 'shared.isogloss')];
  process.env['ISOGLOSS_HOME'] = join(folder, 'home');
  const { started } = await import('./main.ts');
  const running = await started;
  if (running === null) throw new Error('It did not start.');
  desktop = running;
  const port = Object.assign(channel.port1, { close: () => undefined });
  electron.ipcMain.emit(CONNECT_CHANNEL, { senderFrame: { url: START_PAGE, parent: null }, ports: [port] });
  channel.port2.start();
  client = createORPCClient<IsoglossClient>(new RPCLink({ port: channel.port2 as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] })); // Node's port and the page's are one thing here
  void (async () => {
    for await (const wish of await client.app.wishes({})) heard.push(wish);
  })().catch(() => undefined); // the program ends before the stream does
});

afterAll(async () => {
  process.argv = argvBefore;
  if (homeBefore === undefined) delete process.env['ISOGLOSS_HOME'];
  else process.env['ISOGLOSS_HOME'] = homeBefore;
  channel.port2.close();
  await rm(folder, { recursive: true, force: true });
});

/** Every entry of the newest menu, with those of its submenus. */
function entries(items: readonly MenuItemConstructorOptions[] = electron.menus.at(-1)?.items ?? []): readonly MenuItemConstructorOptions[] {
  return items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? entries(item.submenu) : [])]);
}

function press(label: string): void {
  const item = entries().find((entry) => entry.label === label);
  if (item === undefined) throw new Error(`No entry "${label}" among ${entries().map((entry) => entry.label).join(', ')}`);
  (item.click as (() => void) | undefined)?.();
}

describe('the program (main.ts)', () => {
  it('locks everything before it is ready, and opens one window of one page', () => {
    const at = (call: string): number => electron.calls.indexOf(call);
    expect(at('enableSandbox')).toBeGreaterThan(-1);
    for (const early of ['enableSandbox', 'registerSchemesAsPrivileged', 'requestSingleInstanceLock']) expect(at(early), early).toBeLessThan(at('whenReady'));
    for (const late of ['setPermissionRequestHandler', 'setPermissionCheckHandler', 'setDevicePermissionHandler', 'onBeforeRequest', 'handle app']) expect(at(late), late).toBeGreaterThan(at('whenReady'));
    expect(electron.windows).toHaveLength(1);
    expect(electron.windows[0]?.calls).toEqual([`load ${START_PAGE}`]);
    expect(electron.windows[0]?.options.webPreferences?.sandbox).toBe(true);
    expect(electron.windows[0]?.webContents.windowOpen?.({ url: 'https://example.org' })).toEqual({ action: 'deny' });
  });

  it('answers app://isogloss from the build', async () => {
    const answer = await electron.request(new Request(START_PAGE));
    expect(await answer.text()).toBe('<!doctype html>');
  });

  it('opens the window with the size it had, in a place that is on a display, maximised and zoomed as it was', () => {
    const [window] = electron.windows;
    expect(window?.options).toMatchObject({ width: 900, height: 600 });
    expect(window?.options.x).toBeUndefined();
    window?.emit('ready-to-show');
    expect(window?.calls.slice(-2)).toEqual(['maximize', 'show']);
    expect(window?.webContents.zoomLevel).toBe(1);
  });

  it('speaks with the page through its port, and hands over the file it was started with', async () => {
    expect(await client.app.info({})).toMatchObject({ mode: 'electron', version: '9.9.9', systemLanguage: 'fr-CA' });
    await expect.poll(() => heard).toContainEqual({ kind: 'open-path', path: join(folder, 'shared.isogloss') });
    expect(electron.calls).toContain(`addRecentDocument ${join(folder, 'shared.isogloss')}`);
  });

  it('has its menu in the language of the system, then of the window; what is chosen there becomes a wish', async () => {
    await expect.poll(() => electron.menus.length).toBeGreaterThan(0);
    expect(entries().map(({ label }) => label)).toContain('Nouveau projet …');
    await client.app.changeSettings({ language: 'ar', theme: 'dark' });
    await expect.poll(() => entries().map(({ label }) => label)).toContain('مشروع جديد …');
    expect(electron.parts.nativeTheme.themeSource).toBe('dark');
    press('مشروع جديد …');
    press('ابحث في هذه الصفحة …');
    press('عن Isogloss');
    await expect.poll(() => heard.slice(-3)).toEqual([{ kind: 'go', to: 'new-project' }, { kind: 'find' }, { kind: 'go', to: 'about' }]);
    expect(JSON.parse(await readFile(join(folder, 'home', 'settings.json'), 'utf8'))).toMatchObject({ language: 'ar', theme: 'dark' });
  });

  it('shows a new project among the recent ones, and opens it from there', async () => {
    const project = await client.project.create({ name: 'Lake & shore', languages: [{ tag: 'sw' }], parentFolder: null });
    await expect.poll(() => entries().map(({ label }) => label)).toContain('Lake && shore');
    press('Lake && shore');
    await expect.poll(() => heard.at(-1)).toEqual({ kind: 'open-project', projectId: project.id });
  });

  it('started a second time, comes to the front with the file that the second start was given', async () => {
    const [window] = electron.windows;
    electron.app.emit('second-instance', {}, ['/opt/isogloss/electron', folder, 'shared.isogloss'], folder);
    expect(window?.calls.slice(-2)).toEqual(['show', 'focus']);
    await expect.poll(() => heard.filter(({ kind }) => kind === 'open-path')).toHaveLength(2);
    const preventDefault = vi.fn();
    electron.app.emit('open-file', { preventDefault }, join(folder, 'shared.isogloss'));
    electron.app.emit('open-file', { preventDefault }, join(folder, 'nothing.isogloss'));
    expect(preventDefault).toHaveBeenCalledTimes(2);
    await expect.poll(() => heard.filter(({ kind }) => kind === 'open-path')).toHaveLength(3);
  });

  it('keeps the log, and puts together what helps somebody to help, without names or paths', async () => {
    electron.windows[0]?.webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 139 });
    electron.app.emit('child-process-gone', {}, { type: 'GPU', reason: 'killed', exitCode: 9 });
    expect(electron.windows[0]?.webContents.reloads).toBe(1);
    const { entries: lines } = await client.app.log({ most: 100 });
    expect(lines.map(({ code }) => code)).toEqual(expect.arrayContaining(['program.started', 'window.gone', 'process.gone']));
    const { text } = await client.app.diagnostics({});
    expect(text).toContain('Isogloss 9.9.9 (electron)');
    expect(text).toContain('window.gone crashed, exit code 139');
    expect(text).toContain('projects: 1');
    expect(text).not.toContain('Lake');
    expect(text).not.toContain(folder);
  });

  it('keeps where the window is, and ends in order: work first, then the program', async () => {
    const [window] = electron.windows;
    window?.emit('close');
    const preventDefault = vi.fn();
    electron.app.emit('before-quit', { preventDefault });
    electron.app.emit('before-quit', { preventDefault });
    expect(preventDefault).toHaveBeenCalledTimes(2);
    await expect.poll(() => electron.calls.filter((call) => call === 'quit')).toHaveLength(1);
    expect(JSON.parse(await readFile(join(folder, 'home', 'window.json'), 'utf8'))).toEqual({ x: 10, y: 20, width: 1000, height: 700, isMaximized: false, zoomLevel: 1 });
    electron.app.emit('before-quit', { preventDefault });
    expect(preventDefault).toHaveBeenCalledTimes(2);
    expect(desktop.services.info.mode).toBe('electron');
  });

  it('listens only to events that this Electron has', async () => {
    const typings = await readFile(fileURLToPath(new URL('../../node_modules/electron/electron.d.ts', import.meta.url)), 'utf8');
    const eventsOf = (name: string): readonly string[] => {
      const block = new RegExp(`\\n  (?:class|interface) ${name}(?: extends [^{]+)? \\{[\\s\\S]*?\\n  \\}`).exec(typings)?.[0] ?? '';
      return [...block.matchAll(/\bon\(event: '([\w-]+)'/g)].map((match) => match[1] ?? '');
    };
    const known: Readonly<Record<keyof Listened, readonly string[]>> = { app: eventsOf('App'), window: [...eventsOf('BrowserWindow'), ...eventsOf('BaseWindow')], contents: eventsOf('WebContents'), notification: eventsOf('Notification'), ipcMain: [CONNECT_CHANNEL] };
    for (const kind of ['app', 'window', 'contents', 'ipcMain'] as const) {
      expect(electron.listened[kind].size, kind).toBeGreaterThan(0);
      expect([...electron.listened[kind]].filter((event) => !known[kind].includes(event)), kind).toEqual([]);
    }
    expect(known.notification).toContain('click');
  });
});

describe('a start that must not be', () => {
  const factsOf = (argv: readonly string[], platform: NodeJS.Platform = 'linux'): DesktopFacts & { readonly complaints: string[]; readonly ran: string[] } => {
    const complaints: string[] = [];
    const ran: string[] = [];
    return { argv, executable: '/opt/isogloss/app-1/isogloss.exe', workingDirectory: '/', environment: {}, platform, home: '/nowhere', versions: {}, complain: (text) => complaints.push(text), runCommands: async (commands) => void ran.push(...commands.map(({ program, args }) => [program, ...args].join(' '))), complaints, ran };
  };

  it('with a switch that opens it to others ends at once with a sentence', async () => {
    const fake = createFakeElectron({ appPath: '/nowhere' });
    const facts = factsOf(['isogloss', '--remote-debugging-port=9222']);
    expect(await startDesktop(fake.parts, facts)).toBeNull();
    expect(fake.calls).toEqual(['exit 2']);
    expect(facts.complaints.join('')).toContain('--remote-debugging-port=9222');
  });

  it('that cannot start says why, in a dialog, and ends', async () => {
    const appPath = join(folder, 'broken');
    await mkdir(join(appPath, 'build'), { recursive: true });
    await writeFile(join(appPath, 'build', 'renderer'), 'a file in place of the folder of pages');
    const fake = createFakeElectron({ appPath });
    const facts = factsOf(['isogloss']);
    expect(await startDesktop(fake.parts, facts)).toBeNull();
    expect(fake.calls.at(-1)).toBe('exit 1');
    expect(fake.asked).toMatchObject([{ type: 'error', message: 'Isogloss could not start', detail: expect.stringContaining(join('build', 'renderer')) }]);
    expect(facts.complaints.join('')).toContain(join('build', 'renderer'));
  });

  it('while the first one is still starting hands its file over', async () => {
    const fake = createFakeElectron({ appPath: folder });
    const starting = startDesktop(fake.parts, { ...factsOf(['isogloss', folder]), environment: { ISOGLOSS_HOME: join(folder, 'second-home') } });
    fake.app.emit('second-instance', {}, ['isogloss', folder, join(folder, 'shared.isogloss')], '/');
    const running = await starting;
    expect(fake.calls).toContain(`addRecentDocument ${join(folder, 'shared.isogloss')}`);
    await running?.services.close();
  });

  it('beside a running one ends, and the running one comes to the front', async () => {
    const fake = createFakeElectron({ appPath: '/nowhere', isFirst: false });
    expect(await startDesktop(fake.parts, factsOf(['isogloss']))).toBeNull();
    expect(fake.calls).toEqual(['requestSingleInstanceLock', 'quit']);
  });

  it('by the Windows installer makes shortcuts and the file association, opens nothing and ends', async () => {
    const fake = createFakeElectron({ appPath: '/nowhere' });
    const facts = factsOf(['isogloss.exe', '--squirrel-install', '0.1.0'], 'win32');
    expect(await startDesktop(fake.parts, facts)).toBeNull();
    expect(fake.calls).toEqual(['quit']);
    expect(facts.ran.join('\n')).toMatch(/Update\.exe --createShortcut isogloss\.exe[\s\S]*reg\.exe add HKCU\\Software\\Classes\\\.isogloss[\s\S]*shell\\open\\command \/ve \/d ".*isogloss\.exe" "%1" \/f/);
    expect(squirrelCommands(['isogloss.exe', '--squirrel-uninstall'], '/a/app-1/isogloss.exe')?.some(({ args }) => args.includes('delete'))).toBe(true);
    expect(squirrelCommands(['isogloss.exe', '--squirrel-obsolete'], '/a/app-1/isogloss.exe')).toEqual([]);
    expect(squirrelCommands(['isogloss.exe', 'C:\\a.isogloss'], '/a/app-1/isogloss.exe')).toBeNull();
  });
});

describe('the menu', () => {
  const project = (state: RecentProject['state'], name: string): RecentProject => ({ id: name, name, folder: '/f', languages: [], names: {}, openedAt: 1, state });
  const draw = (platform: NodeJS.Platform, isPackaged: boolean): readonly MenuItemConstructorOptions[] => entries(menuTemplate({ platform, isPackaged, say: wordsOf('en'), recent: [project('present', 'Here'), project('missing', 'On a stick')], wish: () => undefined }));

  it.each(['linux', 'darwin', 'win32'] as const)('on %s has what people expect, no accelerator twice, no developer tools once packaged', (platform) => {
    const items = draw(platform, true);
    const roles = items.map(({ role }) => role).filter((role) => role !== undefined);
    for (const role of ['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll', 'resetZoom', 'zoomIn', 'zoomOut', 'togglefullscreen', 'minimize', 'close', 'help']) expect(roles, role).toContain(role);
    expect(roles).not.toContain('toggleDevTools');
    expect(roles).not.toContain('reload');
    const accelerators = items.map(({ accelerator }) => accelerator).filter((one) => one !== undefined);
    expect(accelerators).toEqual(expect.arrayContaining(['CommandOrControl+N', 'CommandOrControl+O', 'CommandOrControl+F', 'CommandOrControl+J']));
    expect(new Set(accelerators).size).toBe(accelerators.length);
  });

  it('has developer tools where it is not packaged, and greys a project whose drive is out', () => {
    const items = draw('linux', false);
    expect(items.map(({ role }) => role)).toContain('toggleDevTools');
    expect(items.find(({ label }) => label === 'On a stick')?.enabled).toBe(false);
    expect(items.find(({ label }) => label === 'Here')?.enabled).toBe(true);
  });
});

describe('the words outside the window', () => {
  it('stand in all five languages, with the same places, and none was left in English', () => {
    const places = (text: string): string => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).join();
    for (const [word, row] of Object.entries(DESKTOP_WORDS)) {
      const { en: english, ...others } = row;
      expect(Object.keys(row).sort(), word).toEqual(['ar', 'en', 'es', 'fr', 'sw']);
      for (const text of Object.values(row)) {
        expect(text.trim(), word).not.toBe('');
        expect(places(text), word).toBe(places(english));
      }
      if (/[a-z]{4}/.test(english.replace('Isogloss', ''))) expect(Object.values(others).filter((text) => text === english), word).toEqual([]);
    }
    expect(wordsOf('sw')('see-project', { name: 'Ziwa' })).toBe('Ziwa: bonyeza kuona matokeo.');
  });

  it('are in the language of the window, else of the system, else English', () => {
    expect(spokenLanguage([null, 'sw-TZ'])).toBe('sw');
    expect(spokenLanguage(['fr', 'sw'])).toBe('fr');
    expect(spokenLanguage([null, 'th'])).toBe('en');
  });
});

describe('the file it was started with', () => {
  it('is a portable file or the folder of a project, the last one named; nothing else', async () => {
    await mkdir(join(folder, 'project'), { recursive: true });
    await writeFile(join(folder, 'project', 'project.json'), '{}');
    await writeFile(join(folder, 'notes.txt'), 'x');
    expect(openedPath(['--lang=sw', 'shared.isogloss'], folder)).toBe(join(folder, 'shared.isogloss'));
    expect(openedPath([join(folder, 'project')], '/')).toBe(join(folder, 'project'));
    expect(openedPath(['notes.txt', 'absent.isogloss', folder, '', '--a.isogloss'], folder)).toBeNull();
    expect(ownArguments(['electron', '.', 'a'], false)).toEqual(['a']);
    expect(ownArguments(['isogloss', 'a'], true)).toEqual(['a']);
  });
});
