/** Does an inspection become findings, the gravest first, with the rows that show them, and none where nothing is wrong? */
import { describe, expect, it } from 'vitest';
import type { InspectionDetails } from '../../main/contract/index.ts';
import { attentionOf, findingsOf } from './findings.ts';

const clean: InspectionDetails = {
  encodings: ['utf-8'], roles: ['pairs'], mapping: {}, fields: [], leftOut: [], problemKinds: [], invalidBytes: null, duplicates: 0, sides: [],
  letters: { mixedScripts: { count: 0, examples: [] }, lookAlikes: [], composition: { nfc: 4, nfd: 0, neither: 0, examples: [] }, apostrophes: [{ sign: "'", count: 3 }], directionSigns: { count: 0, examples: [] } },
  quality: { sampled: 100, untranslatedShare: 0, lengthRatio: 1, lengthOutlierShare: 0, misalignedShare: 0, examples: [] },
  overlaps: [{ name: 'a.tsv', purpose: 'training', isLeak: false, count: 0, rows: [] }], enough: null,
};

describe('findings', () => {
  it('are none for a clean file, and none where nothing was looked at', () => {
    expect(findingsOf({ details: clean, problems: [] })).toEqual([]);
    expect(findingsOf({ problems: [] })).toEqual([]);
  });

  it('stand in their order: a leak first, then what wants to be looked at, then notes', () => {
    const findings = findingsOf({
      details: {
        ...clean,
        duplicates: 3,
        leftOut: [{ reason: 'below-score', count: 7 }],
        overlaps: [{ name: 'b.tsv', purpose: 'training', isLeak: false, count: 2, rows: [] }, { name: 'questions.jsonl', purpose: 'evaluation', isLeak: true, count: 1, rows: [{ line: 4, text: 'leaked' }] }],
        letters: { ...clean.letters, composition: { nfc: 5, nfd: 2, neither: 1, examples: [] }, apostrophes: [{ sign: "'", count: 3 }, { sign: 'ʼ', count: 1 }] },
        quality: { sampled: 100, untranslatedShare: 0.01, lengthRatio: 1, lengthOutlierShare: 0, misalignedShare: 0.2, examples: [{ line: 9, source: 'a', target: 'b', why: 'words' }] },
      },
      problems: [],
    });
    expect(findings.map(({ kind, weight, count }) => `${weight} ${kind} ${String(count)}`)).toEqual(['bad leak 1', 'attention overlap 2', 'attention duplicates 3', 'attention misaligned 20', 'note below-score 7', 'note composition 3', 'note apostrophes 2', 'note untranslated 1']);
    expect(findings[0]?.rows).toEqual([{ line: 4, text: 'leaked' }]);
    expect(attentionOf(findings)).toBe(4);
  });

  it('of lines carry the lines, of one kind together; wrong bytes are said once, with the encodings that may fit', () => {
    const problem = (line: number) => ({ code: 'corpus.column-count', path: '/a', line, message: `line ${String(line)}` });
    const findings = findingsOf({
      details: { ...clean, problemKinds: [{ code: 'corpus.column-count', count: 5, example: problem(2) }, { code: 'corpus.invalid-bytes', count: 2, example: { ...problem(7), code: 'corpus.invalid-bytes' } }], invalidBytes: { count: 2, places: [{ line: 7, byteOffset: 12 }], encodings: [{ label: 'windows-1252', sample: 'é' }] } },
      problems: [problem(2), problem(3)],
    });
    expect(findings.map(({ kind, count }) => `${kind} ${String(count)}`)).toEqual(['invalid-bytes 2', 'line-problem 5']);
    expect(findings[1]?.rows.map(({ line }) => line)).toEqual([2, 3]);
    expect(findings[0]).toMatchObject({ name: 'windows-1252', rows: [{ text: 'windows-1252: é' }] });
  });
});
