/** How does a unit that stands in several languages become blocks? Each version is one, the others beside it. */
import { oneLine } from '../formats/parsing.ts';
import type { TaggedText } from '../formats/parsing.ts';
import type { BlockCollector } from './block-collector.ts';
import type { DocumentPlace } from './parsed-document.ts';

/** Writes one block for each version with text; `glosses` go beside the first only. Versions that say the same are written once. */
export function addVersions(collector: BlockCollector, place: DocumentPlace, { versions, glosses = [] }: { readonly versions: readonly (TaggedText & { readonly tier?: string })[]; readonly glosses?: readonly TaggedText[] }): void {
  const seen = new Set<string>();
  const kept = versions.map((version) => ({ ...version, text: oneLine(version.text) })).filter(({ text }) => text !== '' && !seen.has(text) && seen.add(text));
  const aligned = glosses.map(({ language, text }) => ({ language, text: oneLine(text) })).filter(({ text }) => text !== '' && !seen.has(text));
  kept.forEach(({ language, text, tier }, i) => {
    const others = kept.filter((_, j) => j !== i).map((other) => ({ language: other.language === '' ? (other.tier ?? '') : other.language, text: other.text }));
    collector.add('segment', text, { ...place, ...(tier === undefined ? {} : { tier }) }, { aligned: i === 0 ? [...others, ...aligned] : others, language });
  });
}
