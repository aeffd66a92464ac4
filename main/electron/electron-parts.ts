/**
 * What does the program use of Electron? This and nothing else. `main.ts` hands the real Electron over, which the compiler checks
 * against electron.d.ts; tests hand over a fake of the same type (test-electron.ts), so that everything runs without the binary.
 */
import type { App, BrowserWindow, BrowserWindowConstructorOptions, Dialog, IpcMain, MenuItemConstructorOptions, NativeTheme, NotificationConstructorOptions, PowerSaveBlocker, Protocol, RenderProcessGoneDetails, Screen, Session } from 'electron';
import type { Fork } from './utility-process.ts';

export type Preventable = { readonly preventDefault: () => void };

export type AppPart = Pick<App, 'quit' | 'exit' | 'relaunch' | 'enableSandbox' | 'requestSingleInstanceLock' | 'whenReady' | 'getAppPath' | 'getVersion' | 'getLocale' | 'isPackaged' | 'addRecentDocument' | 'setAppUserModelId'> & {
  on(event: 'second-instance', listener: (event: unknown, argv: string[], workingDirectory: string) => void): unknown;
  on(event: 'open-file', listener: (event: Preventable, path: string) => void): unknown;
  on(event: 'window-all-closed', listener: () => void): unknown;
  on(event: 'before-quit', listener: (event: Preventable) => void): unknown;
  on(event: 'child-process-gone', listener: (event: unknown, details: { readonly type: string; readonly reason: string; readonly exitCode: number }) => void): unknown;
  on(event: 'web-contents-created', listener: (event: unknown, contents: ContentsPart) => void): unknown;
};

/** The page in a window. */
export type ContentsPart = {
  readonly setWindowOpenHandler: (handler: (details: { readonly url: string }) => { action: 'deny' }) => void;
  readonly reload: () => void;
  readonly getZoomLevel: () => number;
  readonly setZoomLevel: (level: number) => void;
  on(event: 'will-navigate', listener: (event: Preventable) => void): unknown;
  on(event: 'will-frame-navigate', listener: (event: Preventable) => void): unknown;
  on(event: 'will-redirect', listener: (event: Preventable) => void): unknown;
  on(event: 'will-attach-webview', listener: (event: Preventable) => void): unknown;
  on(event: 'render-process-gone', listener: (event: unknown, details: Pick<RenderProcessGoneDetails, 'reason' | 'exitCode'>) => void): unknown;
};

export type WindowPart = Pick<BrowserWindow, 'loadURL' | 'show' | 'focus' | 'isMinimized' | 'restore' | 'isFocused' | 'isMaximized' | 'isDestroyed' | 'maximize' | 'getNormalBounds' | 'setProgressBar' | 'flashFrame'> & {
  readonly webContents: ContentsPart;
  once(event: 'ready-to-show', listener: () => void): unknown;
  on(event: 'resize', listener: () => void): unknown;
  on(event: 'move', listener: () => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  on(event: 'focus', listener: () => void): unknown;
  on(event: 'unresponsive', listener: () => void): unknown;
};

export type WindowClass = new (options: BrowserWindowConstructorOptions) => WindowPart;

export type NotificationPart = { readonly show: () => void; on(event: 'click', listener: () => void): unknown };
export type NotificationClass = (new (options: NotificationConstructorOptions) => NotificationPart) & { readonly isSupported: () => boolean };

export type SessionPart = Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'> & { readonly webRequest: Pick<Session['webRequest'], 'onBeforeRequest'> };

/** `Built`: a menu, which only Electron looks into. */
export type MenuPart<Built> = {
  readonly buildFromTemplate: (template: MenuItemConstructorOptions[]) => Built;
  readonly setApplicationMenu: (menu: Built) => void;
};

export type ElectronParts<Built = never> = {
  readonly app: AppPart;
  readonly BrowserWindow: WindowClass;
  readonly Notification: NotificationClass;
  readonly Menu: MenuPart<Built>;
  readonly ipcMain: Pick<IpcMain, 'on'>;
  readonly protocol: Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle'>;
  readonly session: { readonly defaultSession: SessionPart };
  readonly utilityProcess: { readonly fork: Fork };
  readonly powerSaveBlocker: Pick<PowerSaveBlocker, 'start' | 'stop'>;
  readonly screen: Pick<Screen, 'getAllDisplays'>;
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
  readonly nativeTheme: Pick<NativeTheme, 'themeSource'>;
};
