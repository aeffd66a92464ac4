/** What do the project's dictionaries say of a phrase? */
import { z } from 'zod';
import { countSchema, idSchema, list, tagSchema, timeSchema } from './basics.ts';
import { PHRASE_CHARACTERS, PHRASE_HITS_MAXIMUM } from './limits.ts';

/** Alike but for case, alike but for accents and signs, or near by meaning. */
export const phraseMatchSchema = z.enum(['exact', 'folded', 'near']);
export type PhraseMatch = z.infer<typeof phraseMatchSchema>;

export const phraseLookUpInputSchema = z.object({
  projectId: idSchema,
  query: z.string().trim().min(1).max(PHRASE_CHARACTERS),
  limit: z.number().int().min(1).max(PHRASE_HITS_MAXIMUM),
});

/** In the language of the phrase, with its translation where the dictionary has one. `from`: the dictionary's own, or found in the project's texts. */
export const phraseExampleSchema = z.object({ source: z.string(), target: z.string().nullable(), from: z.enum(['dictionary', 'texts']) });

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
  /** Nearest in meaning to what matched, on the other side of all dictionaries, best first; empty without a model. */
  best: list(z.object({ text: z.string(), similarity: z.number() })),
});
export type PhraseHit = z.infer<typeof phraseHitSchema>;

/** `isByMeaning`: false while there is no trained model; then only spelling counts. */
export const phraseLookUpOutputSchema = z.object({ hits: list(phraseHitSchema), dictionaries: countSchema, entries: countSchema, isByMeaning: z.boolean() });
export type PhraseAnswer = z.infer<typeof phraseLookUpOutputSchema>;

/** What training on phrases did for one list. Accuracy@1 on phrases held back, mean of both directions, 0-1; null: none were held back. */
export const phrasesOfPairSchema = z.object({ source: tagSchema, target: tagSchema, training: countSchema, heldBack: countSchema, before: z.number().nullable(), after: z.number().nullable() });

/** `isStale`: the project's model was trained anew since. */
export const phraseModelSchema = z.object({ at: timeSchema, steps: countSchema, isStale: z.boolean(), pairs: list(phrasesOfPairSchema) });
export type PhraseModel = z.infer<typeof phraseModelSchema>;

/** `canTrain`: there is a model to begin with and a dictionary whose languages are known. Look-ups use `model` when there is one. */
export const phraseStatusSchema = z.object({
  dictionaries: list(z.object({ name: z.string(), entries: countSchema, source: tagSchema.nullable(), target: tagSchema.nullable() })),
  canTrain: z.boolean(),
  model: phraseModelSchema.nullable(),
});
export type PhraseStatus = z.infer<typeof phraseStatusSchema>;
