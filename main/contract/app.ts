/** What does the window need to know about the program and the machine? */
import { z } from 'zod';
import { countSchema, idSchema, list, pathSchema, tagSchema, timeSchema } from './basics.ts';
import { LETTERS_CHARACTERS, LOG_ENTRIES, NAME_CHARACTERS } from './limits.ts';

export const appInfoSchema = z.object({
  name: z.literal('Isogloss'),
  version: z.string(),
  /** Electron window, or a page served on this machine's loopback address. */
  mode: z.enum(['electron', 'served']),
  platform: z.enum(['linux', 'darwin', 'win32', 'other']),
  cores: countSchema,
  memoryMB: countSchema,
  /** Threads a training job takes when nothing else is asked. */
  threads: countSchema,
  /** False when the sample project is not part of this installation. */
  hasSample: z.boolean(),
  /** False when no English starter ships with this installation: question-passage data is then needed. */
  hasStarter: z.boolean(),
  /** The user's language as the system says it, BCP 47. */
  systemLanguage: z.string(),
});
export type AppInfo = z.infer<typeof appInfoSchema>;

export const interfaceLanguageSchema = z.enum(['en', 'es', 'fr', 'sw', 'ar']);
export type SpokenLanguage = z.infer<typeof interfaceLanguageSchema>;

/** How texts in one language are shown and typed: a font family, and the letters of the palette; null = chosen by Isogloss. */
export const languageLookSchema = z.object({ font: z.string().max(NAME_CHARACTERS).nullable(), letters: z.string().max(LETTERS_CHARACTERS).nullable() });
export type LanguageLook = z.infer<typeof languageLookSchema>;

/** What the person has chosen for every window on this computer; null = never chosen. Kept in the user's data folder. */
export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']).nullable(),
  language: interfaceLanguageSchema.nullable(),
  looks: z.record(tagSchema, languageLookSchema),
});
export type Settings = z.infer<typeof settingsSchema>;
/** What is absent stays as it is; a language's look replaces the one it had. */
export const settingsChangeSchema = settingsSchema.partial();

/** What the desktop asks of the window: a menu entry was chosen, a file was opened, a notification was pressed. */
export const wishSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('go'), to: z.enum(['welcome', 'new-project', 'activity', 'log', 'about']) }),
  z.object({ kind: z.literal('open-project'), projectId: idSchema }),
  /** The dialog that asks for the folder of a project. */
  z.object({ kind: z.literal('choose-project') }),
  /** A portable file (.isogloss) or the folder of a project. */
  z.object({ kind: z.literal('open-path'), path: pathSchema }),
  z.object({ kind: z.literal('show-job'), jobId: idSchema }),
  z.object({ kind: z.literal('find') }),
  z.object({ kind: z.literal('copy-diagnostics') }),
]);
export type Wish = z.infer<typeof wishSchema>;

export const logEntrySchema = z.object({ at: timeSchema, level: z.enum(['info', 'warning', 'error']), code: z.string(), message: z.string() });
export type LogEntry = z.infer<typeof logEntrySchema>;
export const logInputSchema = z.object({ most: z.number().int().min(1).max(LOG_ENTRIES) });
export const logOutputSchema = z.object({ entries: list(logEntrySchema) });

/** Plain text to paste into a letter: versions, platform, devices, counts, last error codes; no texts, names or paths. */
export const diagnosticsSchema = z.object({ text: z.string() });
