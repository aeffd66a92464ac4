/** Entry point of the Electron program. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { app, BrowserWindow, ipcMain, Menu, protocol, session, utilityProcess } from 'electron';
import { RPCHandler } from '@orpc/server/message-port';
import { createServices } from '../api/application.ts';
import { createRouter } from '../api/router.ts';
import { userFolders } from '../project/user-folder.ts';
import { listPages } from '../served/pages.ts';
import { acceptPorts } from './connection.ts';
import { menuTemplate } from './menu.ts';
import { answerRequest, SCHEME, SCHEME_PRIVILEGES } from './protocol.ts';
import { refuseNavigation, refuseNetwork, refusePermissions, refusedSwitches } from './security.ts';
import { utilityProcesses } from './utility-process.ts';
import { bringToFront, openWindow } from './window.ts';

const refused = refusedSwitches(process.argv.slice(1));
if (refused.length > 0) {
  process.stderr.write(`Isogloss does not start with ${refused.join(', ')}: this would open it to other programs.\n`);
  app.exit(2);
} else if (!app.requestSingleInstanceLock()) {
  app.quit(); // the first instance comes to the front
} else {
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([SCHEME_PRIVILEGES]);
  refuseNavigation(app);
  void app.whenReady().then(run);
}

async function run(): Promise<void> {
  const root = app.getAppPath();
  const built = (path: string): string => join(root, 'build', path);
  refusePermissions(session.defaultSession);
  refuseNetwork(session.defaultSession, { isPackaged: app.isPackaged });
  const pages = await listPages(built('renderer'));
  protocol.handle(SCHEME, (request) => answerRequest(request, pages));
  const services = await createServices({
    mode: 'electron',
    version: app.getVersion(),
    startProcess: utilityProcesses((script, args, options) => utilityProcess.fork(script, args, options), (name) => built(`main/workers/${name}.mjs`)),
    folders: userFolders({ environment: process.env, platform: process.platform, home: homedir() }),
    home: homedir(),
    sampleFolder: join(root, 'core', 'sample'),
    starterFolder: join(root, 'core', 'training', 'starter'),
    systemLanguage: app.getLocale(),
    onFault: (error) => process.stderr.write(`${error.stack ?? error.message}\n`),
  });
  const handler = new RPCHandler(createRouter(services));
  acceptPorts(ipcMain, (port) => handler.upgrade(port));
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ platform: process.platform, isPackaged: app.isPackaged })));
  const window = await openWindow(BrowserWindow, built('main/preload.cjs'));
  app.on('second-instance', () => bringToFront(window));
  app.on('window-all-closed', () => app.quit());
  quitInOrder(() => services.close());
}

/** Jobs are ended and locks given back before the program goes. */
function quitInOrder(close: () => Promise<void>): void {
  let isClosed = false;
  app.on('before-quit', (event) => {
    if (isClosed) return;
    event.preventDefault();
    void close().finally(() => {
      isClosed = true;
      app.quit();
    });
  });
}
