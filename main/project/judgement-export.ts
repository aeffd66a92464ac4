/** In which files do a person's judgements leave the program? BEIR's three, TREC's qrels, and questions with wrong answers for training. */
import { join } from 'node:path';
import { makeFolder, writeFileAtomic } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import { withTitle } from '../../core/corpus/records.ts';
import type { JudgedQueryMarks } from './judgements.ts';

export type JudgementExport = { readonly folder: string; readonly files: readonly string[]; readonly queries: number; readonly documents: number; readonly judgements: number };

/** Right is grade 1, wrong grade 0. */
const GRADE = { right: 1, wrong: 0 } as const;

/**
 * Writes `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv` (BEIR), `qrels.txt` (TREC: query 0 document grade) and
 * `training.jsonl` (trainingLines). The collection holds the judged passages alone.
 * @throws InputError 'judgement.none'; EnvironmentError 'disk.full', 'disk.no-permission'.
 */
export async function exportJudgements(judged: readonly JudgedQueryMarks[], folder: string): Promise<JudgementExport> {
  if (judged.length === 0) throw new InputError('judgement.none', 'Expected at least one judgement, found none. Search, and mark what is right and what is wrong.');
  const documents = new Map<string, object>();
  const lines = judged.flatMap(({ queryId, marks }) =>
    marks.map(({ passageId, passage, verdict }) => {
      documents.set(passageId, { _id: passageId, title: passage.title, text: passage.text, metadata: { path: passage.path, language: passage.language } });
      return { queryId, documentId: passageId, grade: GRADE[verdict] };
    }),
  );
  const files: Readonly<Record<string, string>> = {
    'corpus.jsonl': jsonLines([...documents.values()]),
    'queries.jsonl': jsonLines(judged.map(({ queryId, query, queryLanguage }) => ({ _id: queryId, text: query, metadata: { language: queryLanguage } }))),
    'qrels/test.tsv': `query-id\tcorpus-id\tscore\n${lines.map(({ queryId, documentId, grade }) => `${queryId}\t${documentId}\t${String(grade)}\n`).join('')}`,
    'qrels.txt': lines.map(({ queryId, documentId, grade }) => `${queryId} 0 ${documentId} ${String(grade)}\n`).join(''),
    'training.jsonl': jsonLines(trainingLines(judged)),
  };
  await makeFolder(join(folder, 'qrels'));
  for (const [name, content] of Object.entries(files)) await writeFileAtomic(join(folder, name), content);
  return { folder, files: Object.keys(files), queries: judged.length, documents: documents.size, judgements: lines.length };
}

/** `{"question", "positive", "negatives"}`, one per right passage: what core/corpus/question-pairs.ts reads; negatives are the passages said to be wrong, each behind its title. */
export function trainingLines(judged: readonly JudgedQueryMarks[]): readonly { readonly question: string; readonly positive: string; readonly title: string; readonly negatives: readonly string[] }[] {
  return judged.flatMap(({ query, marks }) => {
    const negatives = marks.filter(({ verdict }) => verdict === 'wrong').map(({ passage }) => withTitle(passage.text, passage.title));
    return marks.filter(({ verdict }) => verdict === 'right').map(({ passage }) => ({ question: query, positive: passage.text, title: passage.title, negatives }));
  });
}

export const jsonLines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
