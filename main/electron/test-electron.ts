/**
 * An Electron for tests: it remembers what it was asked, in order, and says what a test wants it to say. Its type is the one that main.ts
 * hands the real Electron over as, so the compiler holds both to electron.d.ts.
 */
import { EventEmitter } from 'node:events';
import type { BrowserWindowConstructorOptions, MenuItemConstructorOptions, NotificationConstructorOptions } from 'electron';
import type { ElectronParts } from './electron-parts.ts';

export type FakeMenu = { readonly items: readonly MenuItemConstructorOptions[] };

type ProtocolHandler = (request: Request) => Response | Promise<Response>;

/** Of each kind of object: the events that were listened to. */
export type Listened = Record<'app' | 'window' | 'contents' | 'notification' | 'ipcMain', Set<string>>;

class Emitter extends EventEmitter {
  readonly #heard: Set<string>;
  constructor(heard: Set<string>) {
    super();
    this.#heard = heard;
  }
  override on(event: string | symbol, listener: (...parts: never[]) => void): this {
    this.#heard.add(String(event));
    return super.on(event, listener as (...parts: unknown[]) => void); // an emitter hands over whatever was emitted
  }
  override once(event: string | symbol, listener: (...parts: never[]) => void): this {
    this.#heard.add(String(event));
    return super.once(event, listener as (...parts: unknown[]) => void);
  }
}

export class FakeContents extends Emitter {
  reloads = 0;
  zoomLevel = 0;
  windowOpen: ((details: { readonly url: string }) => { action: 'deny' }) | null = null;
  readonly setWindowOpenHandler = (handler: (details: { readonly url: string }) => { action: 'deny' }): void => void (this.windowOpen = handler);
  readonly reload = (): void => void (this.reloads += 1);
  readonly getZoomLevel = (): number => this.zoomLevel;
  readonly setZoomLevel = (level: number): void => void (this.zoomLevel = level);
}

export class FakeWindow extends Emitter {
  readonly options: BrowserWindowConstructorOptions;
  readonly calls: string[] = [];
  readonly progress: (readonly [number, string | undefined])[] = [];
  readonly webContents: FakeContents;
  bounds = { x: 10, y: 20, width: 1000, height: 700 };
  focused = false;
  minimized = false;
  destroyed = false;
  constructor(options: BrowserWindowConstructorOptions, listened: Listened) {
    super(listened.window);
    this.options = options;
    this.webContents = new FakeContents(listened.contents);
  }
  readonly loadURL = (url: string): Promise<void> => Promise.resolve(void this.calls.push(`load ${url}`));
  readonly show = (): void => void this.calls.push('show');
  readonly focus = (): void => void this.calls.push('focus');
  readonly restore = (): void => void this.calls.push('restore');
  readonly maximize = (): void => void this.calls.push('maximize');
  readonly isMinimized = (): boolean => this.minimized;
  readonly isFocused = (): boolean => this.focused;
  readonly isMaximized = (): boolean => false;
  readonly isDestroyed = (): boolean => this.destroyed;
  readonly getNormalBounds = (): typeof this.bounds => this.bounds;
  readonly setProgressBar = (progress: number, options?: { mode?: string }): void => void this.progress.push([progress, options?.mode]);
  readonly flashFrame = (flag: boolean): void => void this.calls.push(`flash ${String(flag)}`);
}

export class FakeNotification extends Emitter {
  readonly options: NotificationConstructorOptions;
  isShown = false;
  constructor(options: NotificationConstructorOptions, listened: Listened) {
    super(listened.notification);
    this.options = options;
  }
  readonly show = (): void => void (this.isShown = true);
}

export type FakeElectron = {
  readonly parts: ElectronParts<FakeMenu>;
  /** What was asked of `app`, `protocol` and `session`, in order. */
  readonly calls: string[];
  readonly app: EventEmitter;
  readonly ipcMain: EventEmitter;
  readonly windows: FakeWindow[];
  readonly notifications: FakeNotification[];
  readonly menus: FakeMenu[];
  readonly blockers: Set<number>;
  readonly listened: Listened;
  readonly request: (request: Request) => Promise<Response>;
  /** The message boxes that were shown. */
  readonly asked: readonly unknown[];
  /** Which button of a message box is pressed. */
  answer: number;
};

export function createFakeElectron(options: { readonly appPath: string; readonly isFirst?: boolean; readonly isPackaged?: boolean; readonly locale?: string }): FakeElectron {
  const calls: string[] = [];
  const asked: unknown[] = [];
  const listened: Listened = { app: new Set(), window: new Set(), contents: new Set(), notification: new Set(), ipcMain: new Set() };
  const windows: FakeWindow[] = [];
  const notifications: FakeNotification[] = [];
  const menus: FakeMenu[] = [];
  const blockers = new Set<number>();
  const appEvents = new Emitter(listened.app);
  const ipcMain = new Emitter(listened.ipcMain);
  const answerer = { answer: 0 };
  let handler: ProtocolHandler | null = null;
  let blockerId = 0;
  const call = (name: string) => (): void => void calls.push(name);

  const app: ElectronParts['app'] = Object.assign(appEvents, {
    quit: call('quit'),
    exit: (code?: number): void => void calls.push(`exit ${String(code)}`),
    relaunch: call('relaunch'),
    enableSandbox: call('enableSandbox'),
    requestSingleInstanceLock: (): boolean => {
      calls.push('requestSingleInstanceLock');
      return options.isFirst ?? true;
    },
    whenReady: (): Promise<void> => {
      calls.push('whenReady');
      return Promise.resolve();
    },
    getAppPath: (): string => options.appPath,
    getVersion: (): string => '9.9.9',
    getLocale: (): string => options.locale ?? 'en-GB',
    isPackaged: options.isPackaged ?? false,
    addRecentDocument: (path: string): void => void calls.push(`addRecentDocument ${path}`),
    setAppUserModelId: call('setAppUserModelId'),
  });
  const window = class extends FakeWindow {
    constructor(given: BrowserWindowConstructorOptions) {
      super(given, listened);
      windows.push(this);
      appEvents.emit('web-contents-created', {}, this.webContents);
    }
  };
  const notification = class extends FakeNotification {
    static readonly isSupported = (): boolean => true;
    constructor(given: NotificationConstructorOptions) {
      super(given, listened);
      notifications.push(this);
    }
  };
  const parts: ElectronParts<FakeMenu> = {
    app,
    BrowserWindow: window,
    Notification: notification,
    Menu: {
      buildFromTemplate: (items) => ({ items }),
      setApplicationMenu: (menu) => void menus.push(menu),
    },
    ipcMain: ipcMain as unknown as ElectronParts['ipcMain'], // Electron's `on` returns IpcMain, of which `on` is all that is used
    protocol: {
      registerSchemesAsPrivileged: call('registerSchemesAsPrivileged'),
      handle: (scheme, given) => {
        calls.push(`handle ${scheme}`);
        handler = given as unknown as ProtocolHandler; // Electron's GlobalRequest is the Request of Node
      },
    },
    session: {
      defaultSession: {
        setPermissionRequestHandler: call('setPermissionRequestHandler'),
        setPermissionCheckHandler: call('setPermissionCheckHandler'),
        setDevicePermissionHandler: call('setDevicePermissionHandler'),
        webRequest: { onBeforeRequest: call('onBeforeRequest') },
      },
    },
    utilityProcess: { fork: () => { throw new Error('This test starts no worker.'); } },
    powerSaveBlocker: {
      start: () => {
        blockerId += 1;
        blockers.add(blockerId);
        return blockerId;
      },
      stop: (id) => blockers.delete(id),
    },
    screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1280, height: 720 } }] as unknown as ReturnType<ElectronParts['screen']['getAllDisplays']> }, // of a display only its work area is used
    dialog: {
      showMessageBox: (...words: readonly unknown[]) => {
        asked.push(words.at(-1));
        return Promise.resolve({ response: answerer.answer, checkboxChecked: false });
      },
    },
    nativeTheme: { themeSource: 'system' },
  };
  return {
    parts,
    calls,
    app: appEvents,
    ipcMain,
    windows,
    notifications,
    menus,
    blockers,
    asked,
    listened,
    request: async (request) => {
      if (handler === null) throw new Error('No protocol is handled yet.');
      return handler(request);
    },
    get answer() {
      return answerer.answer;
    },
    set answer(value) {
      answerer.answer = value;
    },
  };
}
