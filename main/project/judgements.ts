/** What has the person judged? judgements/marks.jsonl is the truth: one line a mark, the last one of a passage counts. */
import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../core/base/hashing.ts';
import { judgedPassageSchema, judgementScoresSchema, searchMethodSchema, verdictSchema, type FoundHit, type Hit, type Judgements, type JudgementScores, type JudgedPassage, type Verdict } from '../contract/index.ts';
import { appendLines, readLines } from './appended-lines.ts';

const markSchema = z.object({
  at: z.number(),
  query: z.string(),
  queryLanguage: z.string().nullable(),
  passage: judgedPassageSchema,
  /** Null: taken back. */
  verdict: verdictSchema.nullable(),
  method: searchMethodSchema.nullable(),
});
export type Mark = z.infer<typeof markSchema>;

/** A passage with what was said of it last. */
export type JudgedMark = Mark & { readonly passageId: string; readonly verdict: Verdict };

/** A query with all that was said of its passages. */
export type JudgedQueryMarks = { readonly queryId: string; readonly query: string; readonly queryLanguage: string | null; readonly lastAt: number; readonly marks: readonly JudgedMark[] };

const ID_CHARACTERS = 16;
const marksFile = (folder: string): string => join(folder, 'judgements', 'marks.jsonl');
const scoresFile = (folder: string): string => join(folder, 'judgements', 'scores.jsonl');

/** Equal queries are one query, however they were typed. */
const queryForm = (query: string): string => query.normalize('NFC').trim().replace(/\s+/gu, ' ');
/** A passage is known by its text and file, so that it is found again after indexing anew. */
const passageId = ({ path, text }: Pick<JudgedPassage, 'path' | 'text'>): string => sha256(`${path}\0${text}`).slice(0, ID_CHARACTERS);

export function appendMark(folder: string, mark: Mark): Promise<void> {
  return appendLines(marksFile(folder), [mark]);
}

/** The queries with marks that count, in the order of their first mark. */
export async function readMarks(folder: string): Promise<readonly JudgedQueryMarks[]> {
  const queries = new Map<string, { query: string; queryLanguage: string | null; lastAt: number; marks: Map<string, JudgedMark> }>();
  for (const mark of await readLines(marksFile(folder), markSchema)) {
    const form = queryForm(mark.query);
    const known = queries.get(form) ?? { query: form, queryLanguage: mark.queryLanguage, lastAt: mark.at, marks: new Map<string, JudgedMark>() };
    known.lastAt = Math.max(known.lastAt, mark.at);
    known.queryLanguage = mark.queryLanguage ?? known.queryLanguage;
    const id = passageId(mark.passage);
    known.marks.delete(id);
    if (mark.verdict !== null) known.marks.set(id, { ...mark, passageId: id, verdict: mark.verdict });
    queries.set(form, known);
  }
  return [...queries].filter(([, { marks }]) => marks.size > 0).map(([form, { marks, ...query }]) => ({ queryId: `q-${sha256(form).slice(0, ID_CHARACTERS)}`, ...query, marks: [...marks.values()] }));
}

/** The hits of a query, each with what was said of it. */
export function withVerdicts(hits: readonly FoundHit[], query: string, judged: readonly JudgedQueryMarks[]): readonly Hit[] {
  const marks = judged.find((known) => known.query === queryForm(query))?.marks ?? [];
  const verdicts = new Map(marks.map((mark) => [mark.passageId, mark.verdict]));
  return hits.map((hit) => ({ ...hit, judged: verdicts.get(passageId(hit)) ?? null }));
}

export function appendScores(folder: string, scores: JudgementScores): Promise<void> {
  return appendLines(scoresFile(folder), [scores]);
}

export async function viewJudgements(folder: string): Promise<Judgements> {
  const judged = await readMarks(folder);
  const count = (marks: readonly JudgedMark[], verdict: Verdict): number => marks.filter((mark) => mark.verdict === verdict).length;
  const queries = judged.map(({ query, queryLanguage, lastAt, marks }) => ({ query, queryLanguage, lastAt, right: count(marks, 'right'), wrong: count(marks, 'wrong') }));
  return {
    queries,
    judgements: queries.reduce((sum, { right, wrong }) => sum + right + wrong, 0),
    measurable: queries.filter(({ right }) => right > 0).length,
    history: await readLines(scoresFile(folder), judgementScoresSchema),
  };
}
