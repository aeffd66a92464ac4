/** How does the Electron program run, from its first moment to its last? Electron comes in as a parameter, so all of it runs in a test. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { RPCHandler } from '@orpc/server/message-port';
import { toIsoglossError } from '../../core/base/errors.ts';
import { createServices, type Services } from '../api/application.ts';
import { createRouter } from '../api/router.ts';
import type { SpokenLanguage } from '../contract/app.ts';
import { userFolders } from '../project/user-folder.ts';
import { listPages } from '../served/pages.ts';
import { createAttention } from './attention.ts';
import { acceptPorts } from './connection.ts';
import type { ElectronParts, WindowPart } from './electron-parts.ts';
import { menuTemplate } from './menu.ts';
import { isOurs, openedPath, ownArguments } from './opened-path.ts';
import { answerRequest, SCHEME, SCHEME_PRIVILEGES } from './protocol.ts';
import { recoverPage } from './recovery.ts';
import { refuseNavigation, refuseNetwork, refusePermissions, refusedSwitches } from './security.ts';
import { squirrelCommands, type Command } from './squirrel.ts';
import { utilityProcesses } from './utility-process.ts';
import { bringToFront, followWindow, openWindow } from './window.ts';
import { placeWindow, readWindowState, writeWindowState, type WindowState } from './window-state.ts';
import { spokenLanguage, wordsOf, type Say } from './words.ts';

const WINDOW_STATE_FILE = 'window.json';
const REFUSED = 2;
const FAILED = 1;

/** What the program knows of the process it runs in. */
export type DesktopFacts = {
  readonly argv: readonly string[];
  readonly executable: string;
  readonly workingDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly complain: (text: string) => void;
  /** Runs what the Windows installer wants; resolves when all has ended, however. */
  readonly runCommands?: (commands: readonly Command[]) => Promise<void>;
};

/** What a running program is; for tests. Null: it did not start (refused, second instance, installer). */
export type Desktop = { readonly services: Services; readonly window: WindowPart };

export function startDesktop<Menu>(electron: ElectronParts<Menu>, facts: DesktopFacts): Promise<Desktop | null> {
  const { app, protocol } = electron;
  const refused = refusedSwitches(facts.argv.slice(1));
  if (refused.length > 0) {
    facts.complain(`Isogloss does not start with ${refused.join(', ')}: this would open it to other programs.\n`);
    app.exit(REFUSED);
    return Promise.resolve(null);
  }
  const forInstaller = facts.platform === 'win32' ? squirrelCommands(facts.argv, facts.executable) : null;
  if (forInstaller !== null) {
    return (facts.runCommands ?? runCommands)(forInstaller).then(() => {
      app.quit();
      return null;
    });
  }
  if (!app.requestSingleInstanceLock()) {
    app.quit(); // the first instance comes to the front, with the file that this one was given
    return Promise.resolve(null);
  }
  app.enableSandbox();
  app.setAppUserModelId('org.isogloss.app'); // what Windows groups windows and notifications by
  protocol.registerSchemesAsPrivileged([SCHEME_PRIVILEGES]);
  refuseNavigation(app);
  const opened = openedPaths(electron, facts);
  return app.whenReady().then(() => run(electron, facts, opened)).catch((thrown: unknown) => failToStart(electron, facts, thrown));
}

/** Without this a program that cannot start would stay, with nothing to see. */
async function failToStart<Menu>({ app, dialog }: ElectronParts<Menu>, { complain }: DesktopFacts, thrown: unknown): Promise<null> {
  const error = toIsoglossError(thrown);
  complain(`${error.stack ?? error.message}\n`);
  await dialog.showMessageBox({ type: 'error', message: wordsOf(spokenLanguage([app.getLocale()]))('cannot-start'), detail: error.message });
  app.exit(FAILED);
  return null;
}

/** `front` brings the window forward, `open` opens a path in it. */
type Opener = { readonly front: () => void; readonly open: (path: string) => void };
type OpenedPaths = { readonly handTo: (opener: Opener) => void };

/** macOS, and a second start, hand files over before the window is there; they wait. */
function openedPaths<Menu>({ app }: ElectronParts<Menu>, facts: DesktopFacts): OpenedPaths {
  const first = openedPath(ownArguments(facts.argv, app.isPackaged), facts.workingDirectory);
  const waiting: string[] = first === null ? [] : [first];
  let opener: Opener | null = null;
  const open = (path: string): void => {
    if (opener === null) waiting.push(path);
    else opener.open(path);
  };
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (isOurs(path)) open(path);
  });
  app.on('second-instance', (_event, argv, workingDirectory) => {
    opener?.front();
    const path = openedPath(ownArguments(argv, app.isPackaged), workingDirectory);
    if (path !== null) open(path);
  });
  return {
    handTo: (ready) => {
      opener = ready;
      for (const path of waiting.splice(0)) ready.open(path);
    },
  };
}

async function run<Menu>(electron: ElectronParts<Menu>, facts: DesktopFacts, opened: OpenedPaths): Promise<Desktop> {
  const { app, session, protocol, utilityProcess, ipcMain } = electron;
  const root = app.getAppPath();
  const built = (path: string): string => join(root, 'build', path);
  refusePermissions(session.defaultSession);
  refuseNetwork(session.defaultSession, { isPackaged: app.isPackaged });
  const pages = await listPages(built('renderer'));
  protocol.handle(SCHEME, (request) => answerRequest(request, pages));

  const folders = userFolders({ environment: facts.environment, platform: facts.platform, home: facts.home });
  const statePath = join(folders.data, WINDOW_STATE_FILE);
  let window: WindowPart | null = null;
  let language: SpokenLanguage = 'en';
  const say: Say = (word, values) => wordsOf(language)(word, values);
  const front = (): void => {
    if (window !== null && !window.isDestroyed()) bringToFront(window);
  };
  const attention = createAttention({
    electron,
    window: () => window,
    say,
    projectName: async (projectId) => (await services.recent.list()).find(({ id }) => id === projectId)?.name ?? 'Isogloss',
    show: (jobId) => {
      front();
      services.wishes.send({ kind: 'show-job', jobId });
    },
    now: () => Date.now(),
  });
  const services: Services = await createServices({
    mode: 'electron',
    version: app.getVersion(),
    versions: facts.versions,
    startProcess: utilityProcesses((script, args, options) => utilityProcess.fork(script, args, options), (name) => built(`main/workers/${name}.mjs`)),
    folders,
    home: facts.home,
    paths: 'chosen',
    sampleFolder: join(root, 'core', 'sample'),
    starterFolder: join(root, 'core', 'training', 'starter'),
    systemLanguage: app.getLocale(),
    onFault: (error) => facts.complain(`${error.stack ?? error.message}\n`),
    onJob: attention.onJob,
    onRecent: () => void drawMenu(),
    onSettings: (settings) => {
      electron.nativeTheme.themeSource = settings.theme ?? 'system';
      language = spokenLanguage([settings.language, app.getLocale()]);
      void drawMenu();
    },
  });

  async function drawMenu(): Promise<void> {
    const recent = await services.recent.list();
    electron.Menu.setApplicationMenu(electron.Menu.buildFromTemplate(menuTemplate({ platform: facts.platform, isPackaged: app.isPackaged, say, recent, wish: services.wishes.send })));
  }

  services.options.onSettings?.(services.settings.get());
  const handler = new RPCHandler(createRouter(services));
  acceptPorts(ipcMain, (port) => handler.upgrade(port));

  const state = await readWindowState(statePath);
  let saving: Promise<void> = Promise.resolve();
  const keepState = (next: WindowState): void => {
    saving = saving.then(() => writeWindowState(statePath, next)).catch((error: unknown) => services.log.write('warning', 'window.state-not-kept', String(error)));
  };
  const opening = openWindow(electron.BrowserWindow, {
    preloadPath: built('main/preload.cjs'),
    placement: placeWindow(state, electron.screen.getAllDisplays().map(({ workArea }) => workArea)),
    isMaximized: state?.isMaximized ?? false,
    zoomLevel: state?.zoomLevel ?? 0,
  });
  const shown = await opening;
  window = shown;
  followWindow(shown, keepState);
  shown.on('focus', () => shown.flashFrame(false));
  shown.on('unresponsive', () => services.log.write('warning', 'window.unresponsive'));
  recoverPage({
    contents: shown.webContents,
    now: () => performance.now(),
    note: (reason) => services.log.write('error', 'window.gone', reason),
    ask: async () => (await electron.dialog.showMessageBox({ type: 'error', message: say('window-gone'), detail: say('window-gone-why'), buttons: [say('open-again'), say('start-anew')], defaultId: 0, noLink: true })).response === 0,
    startAnew: () => {
      app.relaunch();
      app.quit();
    },
  });
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (reason !== 'clean-exit') services.log.write('warning', 'process.gone', `${type}: ${reason}, exit code ${String(exitCode)}`);
  });

  opened.handTo({
    front,
    open: (path) => {
      app.addRecentDocument(path);
      services.wishes.send({ kind: 'open-path', path });
    },
  });
  app.on('window-all-closed', () => app.quit());
  quitInOrder(app, async () => {
    attention.close();
    await saving;
    await services.close();
  });
  return { services, window: shown };
}

/** Jobs are ended and locks given back before the program goes. */
function quitInOrder(app: ElectronParts['app'], close: () => Promise<void>): void {
  let isClosed = false;
  let isClosing = false;
  app.on('before-quit', (event) => {
    if (isClosed) return;
    event.preventDefault();
    if (isClosing) return;
    isClosing = true;
    void close().finally(() => {
      isClosed = true;
      app.quit();
    });
  });
}

/** One after another, without a shell; one that fails does not keep the others from running. */
async function runCommands(commands: readonly Command[]): Promise<void> {
  for (const { program, args } of commands) {
    await new Promise<void>((resolve) => {
      const child = spawn(program, [...args], { stdio: 'ignore', shell: false, windowsHide: true });
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    });
  }
}
