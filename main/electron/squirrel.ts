/** What does Windows want done when Isogloss is installed or removed? Shortcuts, and which program opens .isogloss files. */
import { basename, dirname, join } from 'node:path';
import { PORTABLE_ENDING } from '../project/portable-file.ts';

export const FILE_TYPE = 'Isogloss.Portable';
const CLASSES = 'HKCU\\Software\\Classes';

/** A program and its arguments; run without a shell, one after another. */
export type Command = { readonly program: string; readonly args: readonly string[] };

/**
 * What a start by the installer asks for; null when it is an ordinary start. After the commands the program ends.
 * @param executable the path of isogloss.exe, in the folder of its version beside Update.exe.
 */
export function squirrelCommands(argv: readonly string[], executable: string): readonly Command[] | null {
  const event = argv[1];
  const updater = join(dirname(executable), '..', 'Update.exe');
  const name = basename(executable);
  const set = (key: string, value: string): Command => ({ program: 'reg.exe', args: ['add', `${CLASSES}\\${key}`, '/ve', '/d', value, '/f'] });
  const remove = (key: string): Command => ({ program: 'reg.exe', args: ['delete', `${CLASSES}\\${key}`, '/f'] });
  switch (event) {
    case '--squirrel-install':
    case '--squirrel-updated':
      return [
        { program: updater, args: ['--createShortcut', name] },
        set(PORTABLE_ENDING, FILE_TYPE),
        set(FILE_TYPE, 'Isogloss'),
        set(`${FILE_TYPE}\\DefaultIcon`, `"${executable}",0`),
        set(`${FILE_TYPE}\\shell\\open\\command`, `"${executable}" "%1"`),
      ];
    case '--squirrel-uninstall':
      return [{ program: updater, args: ['--removeShortcut', name] }, remove(PORTABLE_ENDING), remove(FILE_TYPE)];
    case '--squirrel-obsolete':
      return [];
    default:
      return null;
  }
}
