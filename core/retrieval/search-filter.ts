/** Which documents may answer? Typed fields compared in JavaScript; nothing of a filter ever becomes part of a query language. */
import { z } from 'zod';
import { sameLanguage } from './method-weights.ts';

const values = z.array(z.string()).readonly();

/**
 * What a search is narrowed to. A field that is left out lets everything pass; an empty list lets nothing pass; fields are joined by "and",
 * values of one field by "or".
 */
export const searchFilterSchema = z
  .object({
    /** BCP-47; "sw" holds "sw-KE" too. null stands for documents whose language is not known. */
    languages: z.array(z.string().nullable()).readonly().optional(),
    /** Folders relative to the documents' folder, "/" between parts; what lies below them passes. "" is the folder itself, with all. */
    folders: values.optional(),
    /** Endings of file names without the dot, in any case: "txt", "eaf". */
    fileTypes: values.optional(),
    /** ISO 8601; a document's date is the last change of its file. Both ends included; a document without a date does not pass. */
    dates: z.object({ from: z.string().optional(), to: z.string().optional() }).readonly().optional(),
    speakers: values.optional(),
    tiers: values.optional(),
  })
  .readonly();

export type SearchFilter = z.infer<typeof searchFilterSchema>;

/** What a filter looks at. */
export type FilteredDocument = {
  /** Relative to the documents' folder, "/" between parts. */
  readonly path: string;
  readonly language: string | null;
  /** Milliseconds since 1970; null when not known. */
  readonly modifiedAt: number | null;
  readonly speaker: string | null;
  readonly tier: string | null;
};

type FileFacts = Pick<FilteredDocument, 'path' | 'language' | 'modifiedAt'>;

const DAY_MS = 24 * 60 * 60 * 1000;
const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether the file of a document passes (language, folder, type, date). */
export function fileFilter(filter: SearchFilter): (file: FileFacts) => boolean {
  const folders = filter.folders?.map((folder) => folder.replace(/^\/+|\/+$/g, ''));
  const types = filter.fileTypes === undefined ? undefined : new Set(filter.fileTypes.map((type) => type.toLowerCase()));
  const from = timeOf(filter.dates?.from, 0);
  const to = timeOf(filter.dates?.to, DAY_MS - 1);
  return ({ path, language, modifiedAt }) =>
    (filter.languages === undefined || filter.languages.some((wanted) => (wanted === null || language === null ? wanted === language : sameLanguage(wanted, language)))) &&
    (folders === undefined || folders.some((folder) => folder === '' || path.startsWith(`${folder}/`))) &&
    (types === undefined || types.has(endingOf(path))) &&
    (filter.dates === undefined || (modifiedAt !== null && modifiedAt >= (from ?? -Infinity) && modifiedAt <= (to ?? Infinity)));
}

/** Whether a part of a document passes (speaker, tier). */
export function partFilter({ speakers, tiers }: SearchFilter): (part: Pick<FilteredDocument, 'speaker' | 'tier'>) => boolean {
  return ({ speaker, tier }) => (speakers === undefined || (speaker !== null && speakers.includes(speaker))) && (tiers === undefined || (tier !== null && tiers.includes(tier)));
}

/** The ending of a file's name in lower case; "" when it has none. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** A day alone means its beginning (`added` 0) or its end; a date that is none lets nothing pass (NaN). */
function timeOf(text: string | undefined, added: number): number | undefined {
  if (text === undefined) return undefined;
  return Date.parse(text) + (DAY_ALONE.test(text) ? added : 0);
}
