/** Which projects were opened lately? A list in the user's data folder; a lost list costs a few clicks, never a project. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { IsoglossError } from '../../core/base/errors.ts';
import { givenNamesSchema, list, type RecentProject } from '../contract/index.ts';
import { PROJECT_FILE } from './project-file.ts';

const RECENT_KEPT = 30;
const recentSchema = z.object({ id: z.string(), name: z.string(), folder: z.string(), languages: list(z.string()), names: givenNamesSchema.default({}), openedAt: z.number() });
const fileSchema = z.object({ projects: list(recentSchema) });
export type RecentEntry = z.infer<typeof recentSchema>;

export type RecentProjects = {
  readonly list: () => Promise<readonly RecentProject[]>;
  readonly remember: (entry: RecentEntry) => Promise<void>;
  readonly forget: (id: string) => Promise<void>;
  readonly folderOf: (id: string) => Promise<string | null>;
};

/** @param onChange told after each change. */
export function createRecentProjects(dataFolder: string, onChange?: () => void): RecentProjects {
  const path = join(dataFolder, 'recent-projects.json');
  let last: Promise<void> = Promise.resolve();
  const read = async (): Promise<readonly RecentEntry[]> => {
    try {
      const parsed = fileSchema.safeParse(await readJson(path));
      return parsed.success ? parsed.data.projects : [];
    } catch (thrown) {
      if (thrown instanceof IsoglossError && thrown.family === 'input') return [];
      throw thrown;
    }
  };
  const change = (edit: (entries: readonly RecentEntry[]) => readonly RecentEntry[]): Promise<void> => {
    const next = last.then(async () => {
      await mkdir(dataFolder, { recursive: true });
      await writeJsonAtomic(path, { projects: edit(await read()).slice(0, RECENT_KEPT) });
      onChange?.();
    });
    last = next.catch(() => undefined); // the caller of this change hears of it; the next change is not its victim
    return next;
  };
  return {
    list: async () =>
      Promise.all(
        (await read()).map(async (entry) => ({
          ...entry,
          state: (await stat(join(entry.folder, PROJECT_FILE)).then(() => true, () => false)) ? ('present' as const) : ('missing' as const),
        })),
      ),
    remember: (entry) => change((entries) => [entry, ...entries.filter((other) => other.id !== entry.id && other.folder !== entry.folder)]),
    forget: (id) => change((entries) => entries.filter((entry) => entry.id !== id)),
    folderOf: async (id) => (await read()).find((entry) => entry.id === id)?.folder ?? null,
  };
}
