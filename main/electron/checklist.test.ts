/** Is every row of the security checklist held by a check that is there, and do the sources keep the rules that can be read off them? */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import ts from 'typescript';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { contract } from '../contract/index.ts';
import { CONTENT_SECURITY_POLICY } from '../served/headers.ts';
import { CHECKLIST } from './checklist.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** All programs of ours that Electron or the window may run: no tests, no configuration of tools. */
const SOURCES = ['main', 'renderer', 'core'].flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path.replaceAll('\\', '/')}`)).filter((path) => /\.(ts|vue|html)$/.test(path) && !/\.test\.ts$|\.config\.ts$|\/test-[\w-]+\.ts$/.test(path));
const texts = SOURCES.map((path) => ({ path, text: withoutComments(path, read(path)) }));

function withoutComments(path: string, text: string): string {
  if (!path.endsWith('.ts')) return text.replace(/<!--[\s\S]*?-->/g, '').replace(/\/\*[\s\S]*?\*\//g, '');
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  let kept = '';
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind !== ts.SyntaxKind.SingleLineCommentTrivia && kind !== ts.SyntaxKind.MultiLineCommentTrivia) kept += scanner.getTokenText();
  }
  return kept;
}

/** Files whose program text fits. */
const where = (pattern: RegExp): readonly string[] => texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe('the checklist', () => {
  it('has its 22 rows, each with a rule and a check', () => {
    expect(CHECKLIST.map(({ row }) => row)).toEqual(Array.from({ length: 22 }, (_, at) => at + 1));
    for (const { row, rule, checks } of CHECKLIST) expect(`${String(row)} ${rule} ${String(checks.length)}`).toMatch(/^\d+ .{10,} [1-9]$/);
  });

  it.each(CHECKLIST.flatMap(({ row, checks }) => checks.map((check) => ({ row, ...check }))))('row $row: "$check" stands in $file', ({ file, check }) => {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(read(file)).toContain(check);
  });
});

describe('the sources', () => {
  it('were read, so that the rules below judge something', () => {
    expect(SOURCES.length).toBeGreaterThan(300);
    expect(where(/enableSandbox\(\)/)).toEqual(['main/electron/desktop.ts']);
  });

  it('make a window in one place only', () => {
    expect(where(/new (?:electron\.)?(?:BrowserWindow|BaseWindow|WebContentsView|BrowserView)\b|new Window\(/)).toEqual(['main/electron/window.ts']);
    expect(where(/webviewTag: true|nodeIntegration(?:InWorker|InSubFrames)?: true|contextIsolation: false|sandbox: false|webSecurity: false/)).toEqual([]);
  });

  it('load no file: address', () => {
    expect(where(/\.loadFile\(|loadURL\(\s*['"`]file:|['"`]file:\/\//)).toEqual([]);
    expect(where(/\.loadURL\(/)).toEqual(['main/electron/window.ts']);
    const built = join(root, 'build', 'test', 'electron', 'electron.mjs');
    if (existsSync(built)) expect(readFileSync(built, 'utf8')).not.toMatch(/\.loadFile\(|loadURL\(\s*['"`]file:/);
  });

  it('speak with the window over one channel', () => {
    expect(where(/\bipcMain\b/).toSorted()).toEqual(['main/electron/desktop.ts', 'main/electron/electron-parts.ts', 'main/electron/main.ts']);
    expect(where(/\bipcRenderer\b/)).toEqual(['main/electron/preload.ts']);
    expect(where(/\bipc\.(?:on|once|handle|handleOnce)\(/)).toEqual(['main/electron/connection.ts']);
    expect(read('main/electron/connection.ts').match(/\bipc\.\w+\(/g)).toEqual(['ipc.on(']);
  });

  it('open nothing outside', () => {
    expect(where(/openExternal|openPath\(|shell\b.*from 'electron'|showItemInFolder/)).toEqual([]);
    expect(where(/window\.open\(|target="_blank"/)).toEqual([]);
  });

  it('are started without a shell and with a scrubbed environment', () => {
    const starting = texts.filter(({ path, text }) => path.startsWith('main/') && /\b(?:spawn|fork|execFile)\(/.test(text));
    expect(starting.map(({ path }) => path)).toContain('main/workers/process.ts');
    expect(where(/shell: true|\bexec\(['"`]|execSync\(/)).toEqual([]);
    for (const path of ['main/workers/process.ts', 'main/electron/utility-process.ts']) expect(read(path)).toContain('scrubbedEnvironment(process.env)');
  });

  it('hold nothing that a scanner of Electron programs looks for', () => {
    expect(where(/\beval\(|new Function\(|v-html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|setTimeout\(\s*['"`]/)).toEqual([]);
    expect(where(/allowRunningInsecureContent: true|experimentalFeatures: true|enableBlinkFeatures|disableBlinkFeatures|commandLine\.appendSwitch|ignoreCertificateErrors|certificate-error|setCertificateVerifyProc/)).toEqual([]);
    expect(where(/setAsDefaultProtocolClient|remote\.require|@electron\/remote|executeJavaScript/)).toEqual([]);
  });
});

describe('the content security', () => {
  it('policy says exactly what the checklist says', () => {
    expect(Object.fromEntries(CONTENT_SECURITY_POLICY.split('; ').map((part) => [part.slice(0, part.indexOf(' ')), part.slice(part.indexOf(' ') + 1)]))).toEqual({
      'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'", 'img-src': "'self' data: blob:", 'font-src': "'self'", 'connect-src': "'self'", 'worker-src': "'self'",
      'object-src': "'none'", 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'", 'require-trusted-types-for': "'script'",
    });
  });
});

describe('the preload script', () => {
  afterEach(() => {
    vi.doUnmock('electron');
    vi.unstubAllGlobals();
  });

  it('hands over one function and nothing of Electron', async () => {
    const exposed: Record<string, unknown> = {};
    const posted: unknown[][] = [];
    vi.doMock('electron', () => ({ contextBridge: { exposeInMainWorld: (name: string, value: unknown) => { exposed[name] = value; } }, ipcRenderer: { postMessage: (...parts: unknown[]) => posted.push(parts) } }));
    const messages: unknown[][] = [];
    vi.stubGlobal('window', { postMessage: (...parts: unknown[]) => messages.push(parts) });
    vi.stubGlobal('location', { origin: 'app://isogloss' });
    await import('./preload.ts');
    expect(Object.keys(exposed)).toEqual(['isogloss']);
    const bridge = exposed['isogloss'];
    if (typeof bridge !== 'object' || bridge === null || !('connect' in bridge) || typeof bridge.connect !== 'function') throw new Error('No bridge.');
    expect(Object.keys(bridge)).toEqual(['connect']);
    bridge.connect();
    expect(posted.map(([channel, message, ports]) => [channel, message, Array.isArray(ports) && ports.length])).toEqual([['isogloss:connect', null, 1]]);
    expect(messages[0]?.[1]).toBe('app://isogloss');
  });
});

describe('the calls', () => {
  it('refuse whatever the schema does not know', () => {
    const schemas = Object.values(contract).flatMap((area) => Object.values(area).map((row: object) => Reflect.get(Reflect.get(row, '~orpc') as object, 'inputSchema') as { safeParse: (value: unknown) => { success: boolean; data?: unknown } })); // oRPC keeps its definition there
    expect(schemas.length).toBeGreaterThan(40);
    const strange = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, maxDepth: 2 });
    fc.assert(fc.property(strange, (value) => {
      for (const schema of schemas) {
        const { success, data } = schema.safeParse(value);
        if (success) expect(Object.hasOwn(data as object, '__proto__')).toBe(false);
        else expect(data).toBeUndefined();
      }
    }), { numRuns: 60 });
    const polluting: unknown = JSON.parse('{"projectId":"p","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    for (const schema of schemas) schema.safeParse(polluting);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('packages', () => {
  type Entry = { readonly hasInstallScript?: boolean; readonly integrity?: string; readonly link?: boolean };
  const lock = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Entry>> };
  const card = JSON.parse(read('package.json')) as { readonly allowScripts: Readonly<Record<string, boolean>>; readonly devDependencies: Readonly<Record<string, string>>; readonly dependencies: Readonly<Record<string, string>> };

  it('run a script at their installation only where it is allowed by name', () => {
    const scripted = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(scripted.length).toBeGreaterThan(0);
    expect(scripted.filter((name) => !(name in card.allowScripts))).toEqual([]);
    expect(Object.entries(card.allowScripts).filter(([, allowed]) => allowed).map(([name]) => name).toSorted()).toEqual(['electron-winstaller', 'node']);
  });

  it('have a hash in the lock, and a version without a range', () => {
    expect(Object.entries(lock.packages).filter(([path, { integrity, link }]) => path !== '' && link !== true && !/^sha512-/.test(integrity ?? '')).map(([path]) => path)).toEqual([]);
    for (const [name, version] of Object.entries({ ...card.dependencies, ...card.devDependencies })) expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });
});

/** Of the versions that Electron supports when this is written (the newest three), on 2026-11-20; to be looked at every eight weeks. */
const SUPPORTED_ELECTRON = [43, 44, 45];

describe('the pinned Electron', () => {
  it('is one of the supported ones', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { readonly devDependencies: Readonly<Record<string, string>> };
    expect(SUPPORTED_ELECTRON).toContain(Number(devDependencies['electron']?.split('.')[0]));
  });
});

/** Whether a process can be started here that has no network at all. */
const canUnshare = process.platform === 'linux' && spawnSync('unshare', ['-rn', 'true']).status === 0;

describe.skipIf(!canUnshare)('the program without a network', () => {
  it('searches and indexes where there is no network: the command line answers as ever', async () => {
    using place = temporaryFolder();
    const [model, documents, index] = ['model', 'documents', 'index'].map((name) => join(place.path, name)) as [string, string, string];
    await writeModelFolder(model, await testModel());
    mkdirSync(documents);
    writeFileSync(join(documents, 'river.txt'), 'the river is wide after the rain\n');
    const run = (...args: readonly string[]): unknown => JSON.parse(execFileSync('unshare', ['-rn', process.execPath, '--disable-warning=ExperimentalWarning', join(root, 'main/cli/isogloss.ts'), ...args, '--json'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    expect(run('index', '--model', model, '--documents', documents, '--index', index)).toMatchObject({ files: 1, failed: [] });
    expect(run('search', '--index', index, '--query', 'wide river')).toMatchObject([{ path: 'river.txt' }]);
  });
});
