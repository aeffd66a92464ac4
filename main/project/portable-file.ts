/** What stands in a portable file? isogloss.json names every other file with its size and sum; nothing that it does not name is taken. */
import { z } from 'zod';
import { InputError } from '../../core/base/errors.ts';
import { givenNamesSchema, libraryFileSchema, list, spellingRulesSchema, tagSchema } from '../contract/index.ts';

/** How the name of a portable file ends; the program opens it. */
export const PORTABLE_ENDING = '.isogloss';
export const PORTABLE_MANIFEST = 'isogloss.json';
export const SHEET_DATA = 'data-sheet.json';
export const SHEET_PAGE = 'data-sheet.md';
export const MODEL_PREFIX = 'model/';
export const INDEX_PREFIX = 'index/';
const FORMAT = 'isogloss-portable';
const VERSION = 1;

export const portableIndexSchema = z.object({
  modelId: z.string(),
  spelling: spellingRulesSchema,
  indexedAt: z.number(),
  chunks: z.number().int().nonnegative(),
  documents: z.number().int().nonnegative(),
  files: list(libraryFileSchema.extend({ modifiedAt: z.number() })),
});

export const portableManifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number().int().positive(),
  madeBy: z.string(),
  /** Milliseconds since 1970. */
  madeAt: z.number(),
  name: z.string().min(1).max(200),
  languages: list(tagSchema),
  names: givenNamesSchema,
  bridge: tagSchema,
  spelling: spellingRulesSchema,
  exampleQueries: list(z.object({ text: z.string(), language: tagSchema })),
  model: z.object({ modelId: z.string(), leftOut: list(z.string()) }),
  index: portableIndexSchema.nullable(),
  files: z.record(z.string(), z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), sizeBytes: z.number().int().nonnegative() })),
});
export type PortableManifest = z.infer<typeof portableManifestSchema>;
export type PortableIndex = z.infer<typeof portableIndexSchema>;

export function newPortableManifest(facts: Omit<PortableManifest, 'format' | 'version'>): PortableManifest {
  return { format: FORMAT, version: VERSION, ...facts };
}

/** @throws InputError 'share.not-portable', 'share.newer-version', 'share.unsafe-name'. */
export function parsePortableManifest(text: string, path: string): PortableManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notPortable(path, `${PORTABLE_MANIFEST} in it is not JSON`, cause);
  }
  const version = z.object({ format: z.literal(FORMAT), version: z.number() }).safeParse(value);
  if (!version.success) throw notPortable(path, `${PORTABLE_MANIFEST} in it does not say that it is one`);
  if (version.data.version > VERSION) throw new InputError('share.newer-version', `${path}: this file was made by a newer Isogloss (format ${String(version.data.version)}; this one knows ${String(VERSION)}). Update Isogloss, then open it again; the file is untouched.`, { data: { path } });
  const parsed = portableManifestSchema.safeParse(value);
  if (!parsed.success) throw notPortable(path, z.prettifyError(parsed.error).split('\n')[0] ?? '');
  const seen = new Set<string>();
  for (const name of Object.keys(parsed.data.files)) {
    const folded = name.normalize('NFC').toLowerCase();
    if (!isSafeName(name) || seen.has(folded)) throw new InputError('share.unsafe-name', `${path}: expected plain names inside the file, found ${JSON.stringify(name)}. Do not trust this file; nothing was unpacked.`, { data: { path } });
    seen.add(folded);
  }
  return parsed.data;
}

export function notPortable(path: string, why: string, cause?: unknown): InputError {
  return new InputError('share.not-portable', `${path}: expected a file that Isogloss shared (its name ends in ${PORTABLE_ENDING}), but ${why}. Ask for it again, or choose another file.`, { cause, data: { path } });
}

const LONGEST_NAME = 240;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const SAFE_PART = /^[\p{L}\p{M}\p{N}_-][\p{L}\p{M}\p{N}_. +@=,-]*$/u;

/** Names that every system can write, below model/ or index/, or one of the sheet's. */
export function isSafeName(name: string): boolean {
  if (name === SHEET_DATA || name === SHEET_PAGE) return true;
  const parts = name.split('/');
  const [first] = parts;
  return (first === 'model' || first === 'index') && parts.length > 1 && name.length <= LONGEST_NAME && parts.every((part) => SAFE_PART.test(part) && !RESERVED.test(part) && !/[. ]$/.test(part));
}
