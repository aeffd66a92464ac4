/** Which menu does the window have? Editing, zoom and leaving: by role, so that the system names and places them. */
import type { MenuItemConstructorOptions } from 'electron';

export function menuTemplate(options: { readonly platform: NodeJS.Platform; readonly isPackaged: boolean }): MenuItemConstructorOptions[] {
  const developer: MenuItemConstructorOptions[] = options.isPackaged ? [] : [{ role: 'reload' }, { role: 'toggleDevTools' }, { type: 'separator' }];
  return [
    ...(options.platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    { role: 'fileMenu' },
    { role: 'editMenu' },
    { role: 'viewMenu', submenu: [...developer, { role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }, { type: 'separator' }, { role: 'togglefullscreen' }] },
    { role: 'windowMenu' },
  ];
}
