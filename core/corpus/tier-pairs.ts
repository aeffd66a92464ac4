/** Which annotations of two tiers translate each other (ELAN, Praat)? By what they belong to, else by their time. */
import type { EafAnnotation, EafTier } from '../formats/eaf.ts';
import { areReferenceNumbers } from '../formats/reference-numbers.ts';
import type { CorpusField, CorpusMapping, CorpusProposal, TierChoice } from './corpus-options.ts';
import type { RecordPlace } from './records.ts';

/** The texts of two tiers that belong together; either may be ''. */
export type TierPair = { readonly source: string; readonly target: string; readonly line: number; readonly place: RecordPlace };

const TRANSLATION = /transl|traduc|tradu[cç]|[uü]bersetz|free|libre|gloss|glosa|meaning|english|ingl[eé]s|espa[nñ]ol|spanish|fran[cç]ais|french|portugu|russian|indonesia|deutsch|german|mandarin|chinese|(?:^|[^a-z])(?:ft|fe|ge|eng?|spa?|fra?|fre|por|deu?|rus)(?:$|[^a-z])/i;
const BELOW_PHRASES = /Subdivision/;
const ASSOCIATION = 'Symbolic_Association';
const WORD_LEVEL = /morph|word|pos\b|part.of.speech|lemma|segment.?num|comment|note/i;
const DIFFERENT = 0.5;
/** A default locale names a way of typing as often as a language. */
const KEYBOARD = /^ipa/i;

const texts = ({ annotations }: EafTier): string[] => annotations.map(({ text }) => text).filter((text) => text !== '');
const hasLanguage = (tier: EafTier): boolean => {
  const found = texts(tier);
  return found.length > 0 && found.filter((text) => /\p{L}/u.test(text)).length / found.length > DIFFERENT && !areReferenceNumbers(found);
};

type Tiers = { readonly all: readonly EafTier[]; readonly byName: ReadonlyMap<string, EafTier> };

const tiersOf = (all: readonly EafTier[]): Tiers => ({ all, byName: new Map(all.map((tier) => [tier.name, tier])) });

/** The tier itself, its parent, and so on. */
function chainOf(tier: EafTier, { byName }: Tiers): EafTier[] {
  const chain: EafTier[] = [];
  for (let at: EafTier | undefined = tier; at !== undefined && !chain.includes(at); at = at.parent === null ? undefined : byName.get(at.parent)) chain.push(at);
  return chain;
}

const isBelowPhrases = (tier: EafTier, tiers: Tiers): boolean => chainOf(tier, tiers).some(({ constraint }) => BELOW_PHRASES.test(constraint));

/** Tiers that hold a translation of whole phrases: by their name, else children with one text for each phrase, mostly of several words. */
function translationTiers(tiers: Tiers): EafTier[] {
  const candidates = tiers.all.filter((tier) => hasLanguage(tier) && !isBelowPhrases(tier, tiers));
  const named = candidates.filter(({ name, type }) => TRANSLATION.test(name) || TRANSLATION.test(type));
  if (named.length > 0) return named;
  return candidates.filter((tier) => {
    const found = texts(tier);
    return tier.parent !== null && (tier.constraint === ASSOCIATION || tier.constraint === '') && !WORD_LEVEL.test(`${tier.name} ${tier.type}`) && new Set(found).size / found.length > DIFFERENT && found.filter((text) => /\s/.test(text)).length / found.length > DIFFERENT;
  });
}

/** What a translation tier translates: its nearest parent with text; where parents only number phrases, the words below such a parent. */
function sourceOf(target: EafTier, translations: readonly EafTier[], tiers: Tiers): EafTier | null {
  const above = chainOf(target, tiers).slice(1);
  const spoken = above.find((tier) => hasLanguage(tier) && !translations.includes(tier));
  if (spoken !== undefined) return spoken;
  for (const parent of above) {
    const beside = tiers.all.filter((tier) => tier !== target && tier.parent === parent.name && hasLanguage(tier) && !translations.includes(tier));
    const found = beside.find(({ constraint }) => BELOW_PHRASES.test(constraint)) ?? beside[0];
    if (found !== undefined) return found;
  }
  if (above.length > 0) return null;
  const others = tiers.all.filter((tier) => tier !== target && hasLanguage(tier) && !translations.includes(tier) && !isBelowPhrases(tier, tiers));
  return longestTexts(others);
}

function longestTexts(tiers: readonly EafTier[]): EafTier | null {
  const mean = (tier: EafTier): number => texts(tier).reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts(tier).length);
  return tiers.toSorted((a, b) => mean(b) - mean(a))[0] ?? null;
}

/** A tier of running text, with those of the other speakers: tiers of its type which stand where it stands, each another person's. */
function everySpeaker(tier: EafTier, tiers: Tiers): TierChoice {
  const alike = tier.type === '' ? [] : tiers.all.filter((one) => one.type === tier.type && one.annotations.length > 0);
  const isEachOnesOwn = new Set(alike.map(({ participant }) => participant)).size === alike.length;
  return alike.length > 1 && isEachOnesOwn && alike.every((one) => hasLanguage(one) && chainOf(one, tiers).length === chainOf(tier, tiers).length) ? { type: tier.type } : { name: tier.name };
}

/** What the tiers offer, and which of them Isogloss would take. */
export function proposeTiers(all: readonly EafTier[]): CorpusProposal {
  const tiers = tiersOf(all);
  const fields: CorpusField[] = all.map((tier) => ({ kind: 'tier', name: tier.name, type: tier.type, count: texts(tier).length, example: texts(tier)[0] ?? '' }));
  const translations = translationTiers(tiers);
  const found = translations.flatMap((target) => {
    const source = sourceOf(target, translations, tiers);
    return source === null ? [] : [{ source, target, count: texts(target).length }];
  });
  const [best] = found.toSorted((a, b) => b.count - a.count);
  if (best === undefined) {
    const alone = longestTexts(tiers.all.filter((tier) => hasLanguage(tier) && !isBelowPhrases(tier, tiers))) ?? longestTexts(tiers.all.filter(hasLanguage));
    return { fields, mapping: alone === null ? {} : { tiers: { source: everySpeaker(alone, tiers) } }, languages: [], hasPairs: false };
  }
  // The same two types with another source tier: another speaker, who is read too.
  const alike = found.filter(({ source, target }) => source.type === best.source.type && target.type === best.target.type && source.type !== '' && target.type !== '');
  const isEachOnce = new Set(alike.map(({ source }) => source)).size === alike.length;
  const isByType = alike.length > 1 && isEachOnce && best.source.type !== best.target.type;
  const mapping: CorpusMapping = { tiers: isByType ? { source: { type: best.source.type }, target: { type: best.target.type } } : { source: { name: best.source.name }, target: { name: best.target.name } } };
  return { fields, mapping, languages: [best.source.language, best.target.language].every((tag) => tag !== '' && !KEYBOARD.test(tag)) && best.source.language !== best.target.language ? [best.source.language, best.target.language] : [], hasPairs: true };
}

/** The tiers a choice names; none when there is no such tier. */
export function chooseTiers(all: readonly EafTier[], choice: TierChoice): readonly EafTier[] {
  if ('name' in choice) return all.filter(({ name }) => name === choice.name);
  if ('type' in choice) return all.filter(({ type }) => type === choice.type);
  return all.slice(choice.order - 1, choice.order);
}

/** The pairs of all chosen tiers, tier by tier. Several source tiers (speakers) are each paired with the target tier that belongs to them. */
export function pairTiers(all: readonly EafTier[], sources: readonly EafTier[], targets: readonly EafTier[]): TierPair[] {
  const tiers = tiersOf(all);
  return targets.flatMap((target) => {
    const related = sources.filter((source) => source !== target && commonTier(source, target, tiers) !== null);
    const sameSpeaker = sources.filter((source) => source !== target && source.participant !== '' && source.participant === target.participant);
    const [source] = related.length > 0 ? related : sameSpeaker.length > 0 ? sameSpeaker : sources.filter((one) => one !== target);
    return source === undefined ? [] : pairTwo(source, target, tiers);
  });
}

function commonTier(source: EafTier, target: EafTier, tiers: Tiers): EafTier | null {
  const above = new Set(chainOf(target, tiers));
  return chainOf(source, tiers).find((tier) => above.has(tier)) ?? null;
}

function pairTwo(source: EafTier, target: EafTier, tiers: Tiers): TierPair[] {
  const common = commonTier(source, target, tiers);
  const speaker = source.participant === '' ? {} : { speaker: source.participant };
  const placeOf = ({ startMs, endMs }: EafAnnotation): RecordPlace => ({ tier: source.name, ...speaker, ...(startMs === null || endMs === null ? {} : { timeMs: { start: startMs, end: endMs } }) });
  if (common === null) {
    const timed = target.annotations.flatMap((one) => (one.startMs === null || one.endMs === null ? [] : [{ middle: (one.startMs + one.endMs) / 2, text: one.text }])).sort((a, b) => a.middle - b.middle);
    let from = 0;
    return sortedByTime(source.annotations).map((one) => {
      const { startMs, endMs } = one;
      if (startMs === null || endMs === null) return { source: one.text, target: '', line: one.line, place: placeOf(one) };
      while (from < timed.length && (timed[from]?.middle ?? 0) < startMs) from += 1;
      const inside: string[] = [];
      for (let at = from; at < timed.length && (timed[at]?.middle ?? 0) <= endMs; at += 1) inside.push(timed[at]?.text ?? '');
      return { source: one.text, target: joined(inside), line: one.line, place: placeOf(one) };
    });
  }
  const left = groupedBy(source, common, tiers);
  const right = groupedBy(target, common, tiers);
  return sortedByTime(common.annotations).map((one) => ({ source: joined(left.get(one.id) ?? []), target: joined(right.get(one.id) ?? []), line: one.line, place: placeOf(one) }));
}

const joined = (parts: readonly string[]): string => parts.filter((text) => text !== '').join(' ');

function sortedByTime(annotations: readonly EafAnnotation[]): readonly EafAnnotation[] {
  return annotations.every(({ startMs }) => startMs !== null) ? annotations.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)) : annotations;
}

/** The texts of a tier under the annotation of `top` they belong to, in their order. */
function groupedBy(tier: EafTier, top: EafTier, tiers: Tiers): ReadonlyMap<string, readonly string[]> {
  const chain = chainOf(tier, tiers);
  const path = chain.slice(0, chain.indexOf(top) + 1);
  const parentOf = new Map<string, string>();
  for (const { annotations } of path.slice(0, -1)) for (const { id, parentId } of annotations) if (parentId !== null) parentOf.set(id, parentId);
  const groups = new Map<string, EafAnnotation[]>();
  for (const annotation of tier.annotations) {
    let id: string | undefined = annotation.id;
    for (let step = 1; step < path.length && id !== undefined; step += 1) id = parentOf.get(id);
    if (id === undefined) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [annotation]);
    else group.push(annotation);
  }
  return new Map([...groups].map(([id, group]) => [id, inOrder(group).map(({ text }) => text)]));
}

/** By time, and where times are equal by what the file says comes before what. */
function inOrder(group: readonly EafAnnotation[]): readonly EafAnnotation[] {
  if (group.length < 2) return group;
  if (!group.some(({ previousId }) => previousId !== null)) return sortedByTime(group);
  const after = new Map(group.flatMap((one) => (one.previousId === null ? [] : [[one.previousId, one] as const])));
  const ids = new Set(group.map(({ id }) => id));
  const ordered: EafAnnotation[] = [];
  for (const first of sortedByTime(group.filter(({ previousId }) => previousId === null || !ids.has(previousId)))) {
    for (let at: EafAnnotation | undefined = first; at !== undefined && ordered.length < group.length; at = after.get(at.id)) ordered.push(at);
  }
  return ordered.length === group.length ? ordered : group;
}
