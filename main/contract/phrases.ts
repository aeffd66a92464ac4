/** What do the project's dictionaries say of a phrase? */
import { z } from 'zod';
import { countSchema, idSchema, list } from './basics.ts';
import { PHRASE_CHARACTERS, PHRASE_HITS_MAXIMUM } from './limits.ts';

/** Alike but for case, alike but for accents and signs, or near by meaning. */
export const phraseMatchSchema = z.enum(['exact', 'folded', 'near']);
export type PhraseMatch = z.infer<typeof phraseMatchSchema>;

export const phraseLookUpInputSchema = z.object({
  projectId: idSchema,
  query: z.string().trim().min(1).max(PHRASE_CHARACTERS),
  limit: z.number().int().min(1).max(PHRASE_HITS_MAXIMUM),
});

/** In the language of the phrase, with its translation where the dictionary has one. */
export const phraseExampleSchema = z.object({ source: z.string(), target: z.string().nullable() });

export const phraseHitSchema = z.object({
  /** Name of the dictionary's file, and the line where the entry begins. */
  dictionary: z.string(),
  line: countSchema,
  phrase: z.string(),
  translations: list(z.string()),
  examples: list(phraseExampleSchema),
  match: phraseMatchSchema,
  /** What of the entry matched, and on which side it stands. */
  matched: z.object({ text: z.string(), side: z.enum(['phrase', 'translation']) }),
  /** Cosine, -1 to 1; null without a model, or when it knows nothing of the query. */
  similarity: z.number().nullable(),
});
export type PhraseHit = z.infer<typeof phraseHitSchema>;

/** `isByMeaning`: false while there is no trained model; then only spelling counts. */
export const phraseLookUpOutputSchema = z.object({ hits: list(phraseHitSchema), dictionaries: countSchema, entries: countSchema, isByMeaning: z.boolean() });
export type PhraseAnswer = z.infer<typeof phraseLookUpOutputSchema>;
