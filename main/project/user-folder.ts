/** Where do Isogloss's own files and the user's projects lie when nobody says otherwise? */
import { join } from 'node:path';

export type UserFolders = {
  /** Recent projects, the journal of jobs. */
  readonly data: string;
  /** Where new projects are made. */
  readonly projects: string;
};

/** XDG_DATA_HOME, APPDATA or Library; ISOGLOSS_HOME overrides all (tests, a USB stick). */
export function userFolders(facts: { readonly environment: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform; readonly home: string }): UserFolders {
  const { environment, platform, home } = facts;
  const own = environment['ISOGLOSS_HOME'];
  if (own !== undefined && own !== '') return { data: own, projects: join(own, 'projects') };
  const projects = join(home, 'Documents', 'Isogloss');
  switch (platform) {
    case 'win32':
      return { data: join(environment['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Isogloss'), projects };
    case 'darwin':
      return { data: join(home, 'Library', 'Application Support', 'Isogloss'), projects };
    default:
      return { data: join(environment['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'isogloss'), projects };
  }
}
