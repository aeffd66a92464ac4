/** What may a person say about how a corpus is read? Columns, tiers, markers, languages, a threshold, an encoding. */
import { z } from 'zod';
import type { ReadOptions } from './line-records.ts';

const column = z.union([z.string().min(1), z.int().positive()], { error: 'the name of a column, or its number from 1' });
const tier = z.union([z.strictObject({ name: z.string() }), z.strictObject({ type: z.string() }), z.strictObject({ order: z.int().positive() })], { error: 'a tier by {"name"}, {"type"} or {"order"} (from 1)' });
const marker = z.string().min(1).max(100);

/** What holds the source and what the target, in the terms of the format; what is left out is guessed from the file. */
export const corpusMappingSchema = z.strictObject({
  /** Tables: where source and target stand, or `text` where sentences stand alone; a score of each row, if there is one. */
  columns: z.strictObject({ source: column.optional(), target: column.optional(), text: column.optional(), score: column.optional() }).optional(),
  /** Tables: whether the first row names the columns. */
  hasHeader: z.boolean().optional(),
  /** Tables: rows with a lower score are left out. */
  minimumScore: z.number().optional(),
  /** Spreadsheets: the name of the sheet; left out: the first with rows. */
  sheet: z.string().optional(),
  /** ELAN and Praat: by name, by linguistic type (all tiers of it, one for each speaker), or by order from 1. */
  tiers: z.strictObject({ source: tier, target: tier.optional() }).optional(),
  /** Toolbox: the marker that begins a record, and those of text and translation, without backslash. */
  markers: z.strictObject({ record: marker.optional(), source: marker.optional(), target: marker.optional() }).optional(),
});
export type CorpusMapping = z.infer<typeof corpusMappingSchema>;

/** A column by its name in the header, or by its number from 1. */
export type ColumnChoice = z.infer<typeof column>;
export type TierChoice = z.infer<typeof tier>;

/** Languages asked for, where a format holds several; null = the first two found. */
export type WantedLanguages = { readonly source: string; readonly target: string } | null;

/** Why a record was left out though nothing is wrong with it. */
export type LeftOutReason = 'below-score' | 'not-translated';

export type CorpusOptions = ReadOptions & {
  readonly languages?: WantedLanguages;
  readonly mapping?: CorpusMapping;
  /** Told of each record that is right but not used. */
  readonly onLeftOut?: (reason: LeftOutReason) => void;
};

/** Something in the file that can hold source or target: a column, a tier, a marker, a language, a sheet. */
export type CorpusField = {
  readonly kind: 'column' | 'tier' | 'marker' | 'language' | 'sheet';
  readonly name: string;
  /** The linguistic type of a tier, else ''. */
  readonly type: string;
  /** How many texts are in it, as far as was looked. */
  readonly count: number;
  /** The first text in it. */
  readonly example: string;
};

/** What a file offers, and what Isogloss would take if nobody said otherwise. */
export type CorpusProposal = {
  readonly fields: readonly CorpusField[];
  readonly mapping: CorpusMapping;
  /** Tags the file itself names: source, target, then others; empty when it names none. */
  readonly languages: readonly string[];
  /** False when the file holds texts in one language only. */
  readonly hasPairs: boolean;
};
