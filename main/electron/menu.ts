/** Which menu does the window have? Ours in words of the interface, the system's own by role; what is chosen becomes a wish of the window. */
import type { MenuItemConstructorOptions } from 'electron';
import type { RecentProject, Wish } from '../contract/index.ts';
import type { DesktopWord, Say } from './words.ts';

const RECENT_SHOWN = 10;

export type MenuFacts = {
  readonly platform: NodeJS.Platform;
  readonly isPackaged: boolean;
  readonly say: Say;
  readonly recent: readonly RecentProject[];
  readonly wish: (wish: Wish) => void;
};

type Item = MenuItemConstructorOptions;

export function menuTemplate(facts: MenuFacts): Item[] {
  const { platform, isPackaged, say, wish } = facts;
  const isMac = platform === 'darwin';
  const divider: Item = { type: 'separator' };
  const role = (name: NonNullable<Item['role']>, word: DesktopWord): Item => ({ role: name, label: say(word) });
  const entry = (word: DesktopWord, wished: Wish, accelerator?: string): Item => ({ label: say(word), click: () => wish(wished), ...(accelerator === undefined ? {} : { accelerator }) });
  const developer: Item[] = isPackaged ? [] : [{ role: 'reload' }, { role: 'toggleDevTools' }, divider];
  const about = entry('about', { kind: 'go', to: 'about' });
  return [
    ...(isMac ? [{ role: 'appMenu' as const }] : []),
    {
      label: say('file'),
      submenu: [
        entry('new-project', { kind: 'go', to: 'new-project' }, 'CommandOrControl+N'),
        entry('open-project', { kind: 'choose-project' }, 'CommandOrControl+O'),
        { label: say('recent'), submenu: recentItems(facts) },
        divider,
        isMac ? role('close', 'close') : role('quit', 'quit'),
      ],
    },
    {
      label: say('edit'),
      submenu: [role('undo', 'undo'), role('redo', 'redo'), divider, role('cut', 'cut'), role('copy', 'copy'), role('paste', 'paste'), role('selectAll', 'select-all'), divider, entry('find', { kind: 'find' }, 'CommandOrControl+F')],
    },
    {
      label: say('view'),
      submenu: [
        entry('all-projects', { kind: 'go', to: 'welcome' }, 'CommandOrControl+Shift+H'),
        entry('activity', { kind: 'go', to: 'activity' }, 'CommandOrControl+J'),
        divider,
        ...developer,
        role('resetZoom', 'zoom-reset'),
        { ...role('zoomIn', 'zoom-in'), accelerator: 'CommandOrControl+Plus' },
        { role: 'zoomIn', accelerator: 'CommandOrControl+=', visible: false, acceleratorWorksWhenHidden: true },
        role('zoomOut', 'zoom-out'),
        divider,
        role('togglefullscreen', 'fullscreen'),
      ],
    },
    { label: say('window'), submenu: isMac ? [{ role: 'minimize' }, { role: 'zoom' }, divider, { role: 'front' }] : [role('minimize', 'minimize'), role('close', 'close')] },
    { role: 'help', label: say('help'), submenu: [entry('log', { kind: 'go', to: 'log' }), entry('copy-diagnostics', { kind: 'copy-diagnostics' }), divider, about] },
  ];
}

/** A project that is not there now (its drive is out) stays in the list, greyed. */
function recentItems({ recent, say, wish }: MenuFacts): Item[] {
  if (recent.length === 0) return [{ label: say('no-recent'), enabled: false }];
  return recent.slice(0, RECENT_SHOWN).map(({ id, name, state }) => ({ label: name.replaceAll('&', '&&'), enabled: state === 'present', click: () => wish({ kind: 'open-project', projectId: id }) }));
}
