/** What has the person chosen for the window, also on the next day and under another port? One small file in the data folder. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { IsoglossError } from '../../core/base/errors.ts';
import { settingsSchema, type settingsChangeSchema, type Settings } from '../contract/index.ts';

const NOTHING_CHOSEN: Settings = { theme: null, language: null, looks: {} };

export type SettingsChange = z.infer<typeof settingsChangeSchema>;

export type SettingsFile = {
  readonly get: () => Settings;
  /** What is absent stays; the look of a language replaces the one it had. @throws EnvironmentError when it cannot be written. */
  readonly change: (change: SettingsChange) => Promise<Settings>;
};

/** A file that is damaged or from elsewhere counts as nothing chosen. */
export async function openSettings(dataFolder: string): Promise<SettingsFile> {
  const path = join(dataFolder, 'settings.json');
  let settings = await read(path);
  let last: Promise<void> = Promise.resolve();
  return {
    get: () => settings,
    change: async (change) => {
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      settings = settingsSchema.parse({ ...settings, ...given, looks: { ...settings.looks, ...change.looks } });
      const writing = last.then(async () => {
        await mkdir(dataFolder, { recursive: true });
        await writeJsonAtomic(path, settings);
      });
      last = writing.catch(() => undefined); // its caller hears of it; the next change is not its victim
      await writing;
      return settings;
    },
  };
}

async function read(path: string): Promise<Settings> {
  try {
    const parsed = settingsSchema.safeParse(await readJson(path));
    return parsed.success ? parsed.data : NOTHING_CHOSEN;
  } catch (thrown) {
    if (thrown instanceof IsoglossError) return NOTHING_CHOSEN; // not there yet, or half a file
    throw thrown;
  }
}
