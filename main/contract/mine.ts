/** Which sentences of two texts translate each other? Candidates by score, to be accepted or not; accepted ones become a corpus. */
import { z } from 'zod';
import { byProjectSchema, countSchema, idSchema, list, pathSchema, tagSchema, timeSchema } from './basics.ts';
import { MINED_SHOWN } from './limits.ts';

export const minedDecisionSchema = z.enum(['accepted', 'rejected']);

/** `pair` is its number, best first from 0; `score` the margin: 1 is no nearer than the neighbours. */
export const minedPairSchema = z.object({ pair: countSchema, source: z.string(), target: z.string(), score: z.number(), decision: minedDecisionSchema.nullable() });
export type MinedPair = z.infer<typeof minedPairSchema>;

/** What a job of kind `mine` is asked; each text one sentence a line. */
export const mineTextSchema = z.object({ path: pathSchema, language: tagSchema });

export const miningSchema = z.object({
  id: idSchema,
  source: mineTextSchema,
  target: mineTextSchema,
  at: timeSchema,
  candidates: countSchema,
  accepted: countSchema,
  rejected: countSchema,
  /** How many decisions can be taken back, the last one first. */
  undoable: countSchema.default(0),
  /** The threshold proposed: what scores more is more often right than not. */
  proposed: z.number(),
  /** The corpus made of it, when there is one. */
  corpusId: idSchema.nullable(),
});
export type Mining = z.infer<typeof miningSchema>;

export const mineListOutputSchema = z.object({ minings: list(miningSchema) });
export const byMiningSchema = byProjectSchema.extend({ miningId: idSchema });
/** Which candidates are looked at. */
export const minedShowSchema = z.enum(['all', 'undecided', 'accepted', 'rejected']);
export type MinedShow = z.infer<typeof minedShowSchema>;
/** Candidates from the place `from` on, among those that are shown. */
export const mineCandidatesInputSchema = byMiningSchema.extend({ from: countSchema, count: z.number().int().min(1).max(MINED_SHOWN), show: minedShowSchema.default('all') });
/** `shown`: how many there are to be looked at. */
export const mineCandidatesOutputSchema = z.object({ mining: miningSchema, pairs: list(minedPairSchema), shown: countSchema });
/** How many candidates score at least so much, in hundredths of the margin from the highest down to the lowest; `undecided` of them. */
export const mineLevelsOutputSchema = z.object({ levels: list(z.object({ atLeast: z.number(), candidates: countSchema, undecided: countSchema })) });
export type MinedLevel = z.infer<typeof mineLevelsOutputSchema>['levels'][number];
/** `atLeast`: decides all without a decision that score so much; else the named pairs. Null takes a decision back. */
export const mineDecideInputSchema = byMiningSchema.extend({
  which: z.discriminatedUnion('kind', [z.object({ kind: z.literal('pairs'), pairs: z.array(countSchema).min(1).max(MINED_SHOWN) }), z.object({ kind: z.literal('at-least'), score: z.number() })]),
  decision: minedDecisionSchema.nullable(),
});
/** Takes the last decision back, of however many pairs it was; `pair`: the first of them, null when there was none. */
export const mineUndoOutputSchema = z.object({ mining: miningSchema, pair: countSchema.nullable() });
