/** Does the advice follow what was measured? */
import { describe, expect, it } from 'vitest';
import type { EvaluationReport, Project, ReportRow } from '../../../main/contract/index.ts';
import { nextSteps } from './next-steps.ts';

const swahili = { tag: 'sw', name: 'Swahili', ownName: 'Kiswahili', script: 'Latn', direction: 'ltr', isListed: true } as const;
const project = (preset: 'quick' | 'thorough', status: 'none' | 'indexed'): Pick<Project, 'languages' | 'settings' | 'library'> => ({ languages: [swahili], settings: { preset } as Project['settings'], library: { status } as Project['library'] }); // only what the advice reads
const share = (first: number) => ({ 'MRR@100': first, 'MRR@10': first, 'R@1': first, 'R@10': 1, 'R@100': 1, 'nDCG@10': first });
const row = (bm25: number, hybrid: number): ReportRow => ({ question: 'within', language: 'sw', queries: 40, documents: 40, methods: { untrained: share(0), bm25: share(bm25), dense: share(0.5), hybrid: share(hybrid) } });
const report = (trained: number, rows: readonly ReportRow[] = []): EvaluationReport => ({ rows, pairs: [{ language: 'sw', pairs: 50, untrained: 0, trained }, { language: 'th', pairs: 50, untrained: 0, trained: 0.1 }], examples: [] });

describe('what to do next', () => {
  it('is more pairs where few translations are found, in the languages of the project', () => {
    expect(nextSteps(report(0.4), project('thorough', 'none'))).toEqual([{ kind: 'pairs', language: 'sw', now: 0.4 }, { kind: 'search' }]);
  });

  it('says where words alone find as much, unless pairs are the trouble', () => {
    expect(nextSteps(report(0.9, [row(0.7, 0.7)]), project('quick', 'indexed'))).toEqual([{ kind: 'words', languages: ['sw'] }, { kind: 'thorough' }, { kind: 'judge' }]);
    expect(nextSteps(report(0.9, [row(0.5, 0.8)]), project('thorough', 'indexed'))).toEqual([{ kind: 'judge' }]);
    expect(nextSteps(report(0.2, [row(0.7, 0.7)]), project('thorough', 'indexed')).map(({ kind }) => kind)).toEqual(['pairs', 'judge']);
  });
});
