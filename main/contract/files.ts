/** How does the window look at folders and hand over dropped files? The same in both modes. */
import { z } from 'zod';
import { NAME_CHARACTERS, UPLOAD_LIMIT_BYTES } from './limits.ts';
import { countSchema, idSchema, list, pathSchema, timeSchema } from './basics.ts';

/** `path` null: the user's home folder. */
export const browseInputSchema = z.object({ path: pathSchema.nullable(), show: z.enum(['folders', 'all']) });

export const folderEntrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), name: z.string(), path: pathSchema }),
  z.object({ kind: z.literal('file'), name: z.string(), path: pathSchema, sizeBytes: countSchema, modifiedAt: timeSchema }),
]);
export type FolderEntry = z.infer<typeof folderEntrySchema>;

export const browseOutputSchema = z.object({
  path: pathSchema,
  parent: pathSchema.nullable(),
  /** Folders first, then files, by name; hidden ones left out. */
  entries: list(folderEntrySchema),
  /** True when the folder holds more than is listed. */
  isCut: z.boolean(),
  isWritable: z.boolean(),
  /** Home, Documents, Desktop, drives: where people start. */
  places: list(z.object({ kind: z.enum(['home', 'documents', 'desktop', 'downloads', 'drive']), name: z.string(), path: pathSchema })),
});
export type FolderView = z.infer<typeof browseOutputSchema>;

/**
 * One piece of a dropped file, pieces in order. `upload` is an id that the window makes up per file
 * (crypto.randomUUID()); `chunk` is `file.slice(offset, offset + UPLOAD_CHUNK_BYTES)`.
 */
export const uploadInputSchema = z.object({
  /** null: of no project; a file that becomes one (share.look). */
  projectId: idSchema.nullable(),
  upload: idSchema,
  name: z.string().min(1).max(NAME_CHARACTERS),
  offset: countSchema,
  totalBytes: countSchema.max(UPLOAD_LIMIT_BYTES),
  chunk: z.instanceof(Blob),
});
export const uploadOutputSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('receiving'), receivedBytes: countSchema }),
  /** `path`: the file in the project's incoming/ folder, ready for corpus.inspect; without a project in one of the program's own. */
  z.object({ status: z.literal('complete'), path: pathSchema, sizeBytes: countSchema }),
]);
