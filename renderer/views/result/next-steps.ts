/** What should the person do next, going by what was measured? A few sentences, the most useful first. */
import type { EvaluationReport, Project } from '../../../main/contract/index.ts';

export type NextStep =
  | { readonly kind: 'pairs'; readonly language: string; readonly now: number }
  | { readonly kind: 'words'; readonly languages: readonly string[] }
  | { readonly kind: 'thorough' }
  | { readonly kind: 'judge' }
  | { readonly kind: 'search' };

/** Below this share of translations found first, more pairs help more than anything else (test/experiments). */
const ENOUGH_FOUND = 0.6;
/** Meaning adds less than this to words. */
const LITTLE_MORE = 0.01;
const MOST_STEPS = 4;

export function nextSteps(report: EvaluationReport, { languages, settings, library }: Pick<Project, 'languages' | 'settings' | 'library'>): readonly NextStep[] {
  const own = new Set(languages.map(({ tag }) => tag));
  const weak = report.pairs.filter(({ language, trained }) => own.has(language) && trained < ENOUGH_FOUND).sort((a, b) => a.trained - b.trained);
  const worded = report.rows.filter(({ language, question, methods }) => own.has(language) && question === 'within' && methods.hybrid['R@1'] <= methods.bm25['R@1'] + LITTLE_MORE && !weak.some((pair) => pair.language === language));
  const steps: readonly NextStep[] = [
    ...weak.map(({ language, trained }): NextStep => ({ kind: 'pairs', language, now: trained })),
    ...(worded.length === 0 ? [] : [{ kind: 'words', languages: [...new Set(worded.map(({ language }) => language))] } as const]),
    ...(settings.preset === 'quick' ? [{ kind: 'thorough' } as const] : []),
    ...(library.status === 'indexed' ? [{ kind: 'judge' } as const] : [{ kind: 'search' } as const]),
  ];
  return [...steps.slice(0, MOST_STEPS - 1), ...steps.slice(MOST_STEPS - 1).slice(-1)];
}
