/** What is worth knowing about a corpus, the gravest first? An inspection becomes a list of findings, each with how often and where. */
import type { InspectionDetails } from '../../main/contract/index.ts';
import type { ReadableInspection } from './pending-corpora.ts';

export type FindingRow = { readonly line: number | null; readonly text: string };
/** Bad: to be mended before training. Attention: to be looked at. Note: good to know. */
export type FindingWeight = 'bad' | 'attention' | 'note';

export type FindingKind =
  | 'leak' | 'overlap' | 'duplicates' | 'invalid-bytes' | 'line-problem' | 'below-score' | 'not-translated'
  | 'mixed-scripts' | 'look-alikes' | 'composition' | 'apostrophes' | 'direction-signs' | 'untranslated' | 'lengths' | 'misaligned';

/** `count` things, or a `share` of 0-1 where only a sample was judged; `name`: of another corpus, of a code, of signs. */
export type Finding = { readonly kind: FindingKind; readonly weight: FindingWeight; readonly count: number; readonly share: number | null; readonly name: string; readonly rows: readonly FindingRow[] };

const ORDER: readonly FindingWeight[] = ['bad', 'attention', 'note'];
/** Of the pairs: more than this is more than chance and free translation make. */
const MANY = 0.05;

/** All findings of an inspection; empty when nothing is worth saying. */
export function findingsOf({ details, problems }: Pick<ReadableInspection, 'details' | 'problems'>): readonly Finding[] {
  if (details === undefined) return [];
  const found = [...ofOtherTexts(details), ...ofLines(details, problems), ...ofLetters(details.letters), ...ofPairs(details.quality)];
  return ORDER.flatMap((weight) => found.filter((finding) => finding.weight === weight));
}

function counted(kind: FindingKind, weight: FindingWeight, count: number, { name = '', rows = [] }: { readonly name?: string; readonly rows?: readonly FindingRow[] } = {}): readonly Finding[] {
  return count === 0 ? [] : [{ kind, weight, count, share: null, name, rows }];
}

function ofOtherTexts({ overlaps, duplicates }: InspectionDetails): readonly Finding[] {
  return [
    ...overlaps.flatMap(({ name, isLeak, count, rows }) => counted(isLeak ? 'leak' : 'overlap', isLeak ? 'bad' : 'attention', count, { name, rows })),
    ...counted('duplicates', 'attention', duplicates),
  ];
}

function ofLines({ invalidBytes, problemKinds, leftOut }: InspectionDetails, problems: ReadableInspection['problems']): readonly Finding[] {
  const encodings = invalidBytes?.encodings ?? [];
  const isBytes = (code: string): boolean => code === 'corpus.invalid-bytes';
  return [
    ...counted('invalid-bytes', 'bad', invalidBytes?.count ?? 0, { name: encodings.map(({ label }) => label).join(', '), rows: encodings.map(({ label, sample }) => ({ line: null, text: `${label}: ${sample}` })) }),
    ...problemKinds.filter(({ code }) => invalidBytes === null || !isBytes(code)).flatMap(({ code, count, example }) => {
      const own = problems.filter((problem) => problem.code === code);
      return counted('line-problem', 'attention', count, { name: code, rows: (own.length === 0 ? [example] : own).map(({ line, message }) => ({ line, text: message })) });
    }),
    ...leftOut.flatMap(({ reason, count }) => counted(reason, 'note', count)),
  ];
}

function ofLetters({ mixedScripts, lookAlikes, composition, apostrophes, directionSigns }: InspectionDetails['letters']): readonly Finding[] {
  const isMixed = composition.neither > 0 || (composition.nfc > 0 && composition.nfd > 0);
  return [
    ...counted('mixed-scripts', 'attention', mixedScripts.count, { rows: mixedScripts.examples }),
    ...counted('look-alikes', 'attention', lookAlikes.length, { rows: lookAlikes.map(({ one, other }) => ({ line: null, text: `\u2068${one}\u2069 / \u2068${other}\u2069` })) }),
    ...(isMixed ? counted('composition', 'note', Math.min(composition.nfc, composition.nfd) + composition.neither, { rows: composition.examples }) : []),
    ...(apostrophes.length > 1 ? counted('apostrophes', 'note', apostrophes.length, { name: apostrophes.map(({ sign }) => sign).join('  ') }) : []),
    ...counted('direction-signs', 'note', directionSigns.count, { rows: directionSigns.examples }),
  ];
}

function ofPairs(quality: InspectionDetails['quality']): readonly Finding[] {
  if (quality === null) return [];
  const rowsOf = (wanted: 'untranslated' | 'length' | 'words'): readonly FindingRow[] => quality.examples.filter(({ why }) => why === wanted).map(({ line, source, target }) => ({ line, text: `\u2068${source}\u2069 | \u2068${target}\u2069` }));
  const shared = (kind: FindingKind, share: number, rows: readonly FindingRow[]): readonly Finding[] => (share <= 0 ? [] : [{ kind, weight: share > MANY ? 'attention' : 'note', count: Math.round(share * quality.sampled), share, name: '', rows }]);
  return [
    ...shared('misaligned', quality.misalignedShare ?? 0, rowsOf('words')),
    ...shared('untranslated', quality.untranslatedShare, rowsOf('untranslated')),
    ...shared('lengths', quality.lengthOutlierShare, rowsOf('length')),
  ];
}

/** How many of the findings want to be looked at. */
export function attentionOf(findings: readonly Finding[]): number {
  return findings.filter(({ weight }) => weight !== 'note').length;
}
