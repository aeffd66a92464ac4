/** What may the window do? Nothing but show our pages and speak through one port. */
import type { BrowserWindowConstructorOptions, Session } from 'electron';
import type { AppPart, Preventable } from './electron-parts.ts';
import { ORIGIN, SCHEME } from './protocol.ts';
import { SMALLEST } from './window-state.ts';

/** Row 1: the only way a window is made. */
export function windowOptions(preloadPath: string): BrowserWindowConstructorOptions {
  return {
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    backgroundColor: '#FBFAF7',
    webPreferences: {
      preload: preloadPath,
      sandbox: true,
      contextIsolation: true,
      webSecurity: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      spellcheck: false,
      navigateOnDragDrop: false,
    },
  };
}

/** Row 8: the main frame of a page of ours, exactly; an empty or about:blank address is not. */
export function isOurFrame(frame: { readonly url: string; readonly parent: unknown } | null): boolean {
  if (frame === null || frame.parent !== null || !URL.canParse(frame.url)) return false;
  const { protocol, host } = new URL(frame.url);
  return `${protocol}//${host}` === ORIGIN;
}

/** Row 6: no page leads anywhere, no window opens another, nothing is embedded. */
export function refuseNavigation(app: Pick<AppPart, 'on'>): void {
  app.on('web-contents-created', (_event, contents) => {
    const prevent = (event: Preventable): void => event.preventDefault();
    contents.on('will-navigate', prevent);
    contents.on('will-frame-navigate', prevent);
    contents.on('will-redirect', prevent);
    contents.on('will-attach-webview', prevent);
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}

/** Row 7: no camera, no place, no notification, no device: nothing that a page can ask for. */
export function refusePermissions(session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}

const ALLOWED_PROTOCOLS = new Set([`${SCHEME}:`, 'blob:', 'data:']);
const DEVELOPER_PROTOCOLS = new Set(['devtools:', 'chrome-extension:']);

/** Row 11: whatever asks for the network is refused, whoever asks. */
export function refuseNetwork(session: { readonly webRequest: Pick<Session['webRequest'], 'onBeforeRequest'> }, options: { readonly isPackaged: boolean }): void {
  session.webRequest.onBeforeRequest((details, answer) => {
    const protocol = URL.canParse(details.url) ? new URL(details.url).protocol : '';
    answer({ cancel: !(ALLOWED_PROTOCOLS.has(protocol) || (!options.isPackaged && DEVELOPER_PROTOCOLS.has(protocol))) });
  });
}

/**
 * Chromium trims its arguments, and takes "/" for "--" and capitals for small letters where the system is Windows. The last group starts
 * programs of somebody's choice in place of our own processes.
 */
const DEBUGGING = /^\s*(?:--?|\/)(?:remote-debugging-(?:port|pipe|address)|inspect(?:-brk|-port|-publish-uid|-wait)?|debug(?:-brk|-port)?|js-flags|load-extension|disable-web-security|no-sandbox|(?:gpu-launcher|renderer-cmd-prefix|utility-cmd-prefix|browser-subprocess-path))\s*(?:=|$)/i;

/** Row 14: switches that would open the program to others. Returns those that were given. */
export function refusedSwitches(argv: readonly string[]): readonly string[] {
  return argv.filter((word) => DEBUGGING.test(word));
}
