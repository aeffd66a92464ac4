/** How is a language named, found and written? */
import { z } from 'zod';
import { NAME_CHARACTERS } from './limits.ts';
import { directionSchema, list, nameSchema, tagSchema } from './basics.ts';

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
  /** CLDR's exemplar letters beyond a to z, for the palette; []: none are known. */
  letters: list(z.string()).optional(),
  /** False: not in the registry; it works all the same. */
  isListed: z.boolean(),
});
export type Language = z.infer<typeof languageSchema>;

/** A language as it is chosen. `name`: what the person calls a language that no list has; kept in the project, and shown wherever it is named. */
export const chosenLanguageSchema = z.object({ tag: tagSchema, name: nameSchema.nullish() });
export type ChosenLanguage = z.infer<typeof chosenLanguageSchema>;

/** Names of languages that no list has, by tag. */
export const givenNamesSchema = z.record(tagSchema, nameSchema);
export type GivenNames = Readonly<z.infer<typeof givenNamesSchema>>;

/** `text`: a name in any spelling, or a tag. Beside the `limit` languages that fit, the name itself as an unlisted language, unless one of them bears it. */
export const languageSuggestInputSchema = z.object({ text: z.string().max(NAME_CHARACTERS), limit: z.number().int().min(1).max(50).default(8) });
export const languageSuggestOutputSchema = z.object({ languages: list(languageSchema) });
/** `inLanguage`: the language of the interface; the name is said in it where it is known. */
export const languageDescribeInputSchema = z.object({ tag: tagSchema, inLanguage: tagSchema.optional() });

/** Close relatives that have a name, nearest first: texts in them help when one's own are few. */
export const languageKinInputSchema = z.object({ tag: tagSchema, limit: z.number().int().min(1).max(50).default(6) });
export const languageKinOutputSchema = z.object({ languages: list(languageSchema) });
