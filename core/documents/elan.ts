/** Which blocks does an ELAN transcription have? One for each utterance and each of its translations, with time, tier and speaker. */
import { eafParser } from '../formats/eaf.ts';
import type { Eaf, EafAnnotation, EafTier } from '../formats/eaf.ts';
import { parseAllText, partsOf } from '../formats/parsing.ts';
import type { TaggedText } from '../formats/parsing.ts';
import { areReferenceNumbers } from '../formats/reference-numbers.ts';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import type { DocumentContent, DocumentPlace } from './parsed-document.ts';
import { addVersions } from './versions.ts';

const ASSOCIATION = 'Symbolic_Association';
const INCLUDED = 'Included_In';
const GLOSS_NAME = /gl(?:oss|osa|s\b)|gloss?e|transl|traduc|\bft\b|\bge\b|free/i;
const LEAST_WITH_LETTERS = 0.5; // share of the annotations of a tier that holds text
const WORDS_OF_A_VERSION = 1.5; // on average: tags such as "en" are no translation
const DISTINCT = 0.5; // share of different texts in a tier that holds no tags
const HAS_LETTER = /\p{L}/u;

type Tiers = { readonly childrenOf: ReadonlyMap<string, readonly EafTier[]>; readonly inside: ReadonlyMap<string, readonly { readonly tier: EafTier; readonly annotation: EafAnnotation }[]> };

/** @throws InputError 'documents.not-eaf', 'documents.xml-entities' ... as `eafParser`. */
export function parseElan(text: string, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  const parsed = parseAllText(text, eafParser({ path, area: 'documents' }));
  collector.faults(parsed.flatMap((one) => (one.kind === 'fault' ? [one.fault] : [])));
  return collectWithin(collector, () => partsOf(parsed).forEach((file) => writeFile(file, collector)));
}

function writeFile({ tiers: written }: Eaf, collector: BlockCollector): void {
  const isLanguageSaid = new Set(written.map(({ language }) => language)).size > 1 || written.length === 1; // one for all tiers is the writer's default
  const tiers = isLanguageSaid ? written : written.map((tier) => ({ ...tier, language: '' }));
  const names = new Set(tiers.map(({ name }) => name));
  const childrenOf = new Map<string, EafTier[]>();
  const inside = new Map<string, { tier: EafTier; annotation: EafAnnotation }[]>();
  for (const tier of tiers) {
    if (tier.parent !== null) childrenOf.set(tier.parent, [...(childrenOf.get(tier.parent) ?? []), tier]);
    for (const annotation of tier.annotations) {
      if (annotation.parentId === null) continue;
      const siblings = inside.get(annotation.parentId);
      if (siblings === undefined) inside.set(annotation.parentId, [{ tier, annotation }]);
      else siblings.push({ tier, annotation });
    }
  }
  const roots = tiers.filter(({ parent }) => parent === null || !names.has(parent));
  const utterances = roots.flatMap((root) => utterancesOf(root, { childrenOf, inside }, root.participant));
  utterances.sort((a, b) => (a.annotation.startMs ?? Infinity) - (b.annotation.startMs ?? Infinity));
  for (const { place, versions, glosses } of utterances) addVersions(collector, place, { versions, glosses });
}

type Utterance = { readonly annotation: EafAnnotation; readonly place: DocumentPlace; readonly versions: readonly (TaggedText & { readonly tier: string })[]; readonly glosses: readonly TaggedText[] };

/** The utterances of a tree of tiers: the first tier from the top with text, or whose parts have it; then those of parts that say something else. */
function utterancesOf(tier: EafTier, tiers: Tiers, speaker: string): readonly Utterance[] {
  const says = tier.participant === '' ? speaker : tier.participant;
  const associated = associatedBelow(tier, tiers).filter(hasText);
  const own = hasText(tier) && !(areReferenceNumbers(textsOf(tier)) && below(tier, tiers).some(saysSomething));
  const directParts = partTiers(tier, tiers);
  if (!own && directParts.length > 0 && associated.length === 0 && directParts.every((part) => !isWordTier(part, tier))) return directParts.flatMap((part) => utterancesOf(part, tiers, says));
  const words = own ? undefined : directParts.filter((part) => hasText(part) && (part.constraint !== INCLUDED || isWordTier(part, tier))).sort((a, b) => b.annotations.length - a.annotations.length)[0];
  const spoken = associated.filter((one) => isVersion(one) && !areReferenceNumbers(textsOf(one)));
  const versionTiers = own || words !== undefined || spoken.length > 0 ? spoken : associated.filter((one) => !areReferenceNumbers(textsOf(one)));
  const parts = [tier, ...associatedBelow(tier, tiers)].flatMap((one) => partTiers(one, tiers));
  const glossTiers = [...associated.filter((one) => !versionTiers.includes(one)), ...parts.flatMap((part) => [part, ...below(part, tiers)]).filter((one) => one !== words && isGloss(one))];
  const utterances = tier.annotations.map((annotation) => {
    const found = collectBelow(annotation, tiers, new Set([words, ...versionTiers, ...glossTiers].flatMap((one) => (one === undefined ? [] : [one.name]))));
    const tagged = (from: EafTier): TaggedText & { readonly tier: string } => ({ language: from.language, text: (found.get(from.name) ?? []).join(' '), tier: from.name });
    const main = own ? { language: tier.language, text: annotation.text, tier: tier.name } : words === undefined ? [] : tagged(words);
    return {
      annotation,
      place: { line: annotation.line, ...timeOf(annotation), ...(says === '' ? {} : { speaker: says }) },
      versions: [main, versionTiers.map(tagged)].flat(),
      glosses: glossTiers.map((one) => ({ language: one.language === '' ? one.name : one.language, text: (found.get(one.name) ?? []).join(' ') })),
    };
  });
  const said = new Map(utterances.map(({ annotation, versions }) => [annotation.id, versions.map(({ text }) => text).join(' ')]));
  const further = directParts.filter((part) => part !== words && !isGloss(part) && saysMore(part, said));
  return [...utterances, ...further.flatMap((part) => utterancesOf(part, tiers, says))];
}

const partTiers = ({ name }: EafTier, { childrenOf }: Tiers): readonly EafTier[] => (childrenOf.get(name) ?? []).filter(({ constraint }) => constraint !== ASSOCIATION);

/** The tiers with one annotation for each of this tier's, and those with one for each of theirs. */
function associatedBelow(tier: EafTier, tiers: Tiers, depth = DEPTH): readonly EafTier[] {
  const direct = (tiers.childrenOf.get(tier.name) ?? []).filter(({ constraint }) => constraint === ASSOCIATION);
  return depth === 0 ? [] : direct.flatMap((one) => [one, ...associatedBelow(one, tiers, depth - 1)]);
}

/** A tier below another that is no cutting of it: what happens meanwhile, or a text whose words are not those above. */
function saysMore(part: EafTier, said: ReadonlyMap<string, string>): boolean {
  if (!saysSomething(part) || (part.constraint !== INCLUDED && wordsOnAverage(part) < WORDS_OF_A_VERSION)) return false;
  const filled = part.annotations.filter(({ text }) => text !== '');
  return filled.filter(({ text, parentId }) => (said.get(parentId ?? '') ?? '').includes(text)).length < LEAST_WITH_LETTERS * filled.length;
}

const textsOf = ({ annotations }: EafTier): readonly string[] => annotations.map(({ text }) => text);
const isGloss = ({ name, type }: EafTier): boolean => GLOSS_NAME.test(name) || GLOSS_NAME.test(type);
const saysSomething = (tier: EafTier): boolean => hasText(tier) && !areReferenceNumbers(textsOf(tier));

/** Sentences, or words that are not a few tags which come again and again. */
function isVersion(tier: EafTier): boolean {
  const filled = textsOf(tier).filter((text) => text !== '');
  return wordsOnAverage(tier) >= WORDS_OF_A_VERSION || (filled.length > 1 && new Set(filled).size > DISTINCT * filled.length);
}

function timeOf({ startMs, endMs }: EafAnnotation): Pick<DocumentPlace, 'timeMs'> {
  return startMs === null ? {} : { timeMs: { start: startMs, end: endMs ?? startMs } };
}

/** The texts of the wanted tiers below an annotation, by tier, in order. */
function collectBelow(top: EafAnnotation, { inside }: Tiers, wanted: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const visit = (id: string, depth: number): void => {
    for (const { tier, annotation } of inside.get(id) ?? []) {
      if (wanted.has(tier.name) && annotation.text !== '') found.set(tier.name, [...(found.get(tier.name) ?? []), annotation.text]);
      if (depth > 0) visit(annotation.id, depth - 1);
    }
  };
  visit(top.id, DEPTH);
  return found;
}

const DEPTH = 16; // tiers below one another

/** All tiers below a tier. */
function below(tier: EafTier, tiers: Tiers, depth = DEPTH): readonly EafTier[] {
  return depth === 0 ? [] : (tiers.childrenOf.get(tier.name) ?? []).flatMap((child) => [child, ...below(child, tiers, depth - 1)]);
}

function hasText({ annotations }: EafTier): boolean {
  const filled = annotations.filter(({ text }) => text !== '');
  return filled.length > 0 && filled.filter(({ text }) => HAS_LETTER.test(text)).length >= LEAST_WITH_LETTERS * filled.length;
}

/** Does a tier cut its parent into many small parts? */
function isWordTier(part: EafTier, parent: EafTier): boolean {
  return hasText(part) && wordsOnAverage(part) < WORDS_OF_A_VERSION && part.annotations.length >= 2 * parent.annotations.length;
}

function wordsOnAverage({ annotations }: EafTier): number {
  const filled = annotations.filter(({ text }) => text !== '');
  return filled.reduce((sum, { text }) => sum + text.split(' ').length, 0) / Math.max(1, filled.length);
}
