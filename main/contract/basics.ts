/** Which small shapes do all areas share? */
import { z } from 'zod';
import { NAME_CHARACTERS, PATH_CHARACTERS, TAG_CHARACTERS } from './limits.ts';

/** A read-only array, so that the readonly types of core pass without copying. */
export const list = <Schema extends z.ZodType>(item: Schema) => z.array(item).readonly();

export const idSchema = z.string().min(1).max(NAME_CHARACTERS).regex(/^[A-Za-z0-9_-]+$/);
export const pathSchema = z.string().min(1).max(PATH_CHARACTERS);
export const nameSchema = z.string().trim().min(1).max(NAME_CHARACTERS);
/** A BCP-47 tag as typed; the program makes it canonical. */
export const tagSchema = z.string().min(1).max(TAG_CHARACTERS);
export const countSchema = z.number().int().nonnegative();
/** Milliseconds since 1970. */
export const timeSchema = z.number().nonnegative();

/** How far long work is; `total` null = not known yet. Equals core/base/progress.ts. */
export const progressSchema = z.object({
  phase: z.string(),
  done: z.number(),
  total: z.number().nullable(),
  unit: z.string(),
});
export type Progress = z.infer<typeof progressSchema>;

export const byProjectSchema = z.object({ projectId: idSchema });

export const directionSchema = z.enum(['ltr', 'rtl']);
export type Direction = z.infer<typeof directionSchema>;
