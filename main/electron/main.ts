/** Entry point of the Electron program: the real Electron and the real process, handed to desktop.ts. */
import { homedir } from 'node:os';
import { app, BrowserWindow, dialog, ipcMain, Menu, nativeTheme, Notification, powerSaveBlocker, protocol, screen, session, utilityProcess } from 'electron';
import { startDesktop } from './desktop.ts';

/** Exported for the contract test, which waits for it. */
export const started = startDesktop(
  { app, BrowserWindow, dialog, ipcMain, Menu, nativeTheme, Notification, powerSaveBlocker, protocol, get screen() { return screen; }, get session() { return session; }, utilityProcess },
  {
    argv: process.argv,
    executable: process.execPath,
    workingDirectory: process.cwd(),
    environment: process.env,
    platform: process.platform,
    home: homedir(),
    versions: { electron: process.versions.electron, chrome: process.versions['chrome'] },
    complain: (text) => void process.stderr.write(text),
  },
);
