/** How is a language named, found and written? */
import { z } from 'zod';
import { NAME_CHARACTERS } from './limits.ts';
import { directionSchema, list, tagSchema } from './basics.ts';

export const languageSchema = z.object({
  /** Canonical BCP 47, private use included ("qaa-x-kisukuma"). */
  tag: tagSchema,
  /** The English name; the tag itself when nobody has named it. */
  name: z.string(),
  /** The name its speakers use, when known. */
  ownName: z.string().nullable(),
  /** ISO 15924, for instance "Arab". */
  script: z.string().nullable(),
  direction: directionSchema,
  /** False: not in the registry; it works all the same. */
  isListed: z.boolean(),
});
export type Language = z.infer<typeof languageSchema>;

/** `text`: a name in any spelling, or a tag. */
export const languageSuggestInputSchema = z.object({ text: z.string().max(NAME_CHARACTERS), limit: z.number().int().min(1).max(50).default(8) });
export const languageSuggestOutputSchema = z.object({ languages: list(languageSchema) });
export const languageDescribeInputSchema = z.object({ tag: tagSchema });
