/** Which tiers and annotations does an ELAN file hold, and when is each? */
import { badFile, fault, oneLine, part } from './parsing.ts';
import type { FormatFault, FormatPlace, PieceParser } from './parsing.ts';
import { xmlScanner } from './xml-scanner.ts';

/** Times in milliseconds: its own, or those of the annotation it belongs to; null where nothing in the file says. */
export type EafAnnotation = {
  readonly id: string;
  /** On one line; '' is common. */
  readonly text: string;
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** The annotation it refers to or lies in; null on a tier without parent. */
  readonly parentId: string | null;
  /** The one before it in the same parent, where the file orders them so. */
  readonly previousId: string | null;
  readonly line: number;
};

export type EafTier = {
  readonly name: string;
  readonly parent: string | null;
  readonly type: string;
  /** "Symbolic_Association", "Time_Subdivision" ...; '' for a tier of its own. */
  readonly constraint: string;
  readonly participant: string;
  /** LANG_REF (ELAN 5 and later) or DEFAULT_LOCALE, as written; '' for none. */
  readonly language: string;
  /** In document order. */
  readonly annotations: readonly EafAnnotation[];
};

export type Eaf = { readonly version: string; readonly mediaNames: readonly string[]; readonly tiers: readonly EafTier[] };

const ANNOTATIONS_LIMIT = 2_000_000;
const TIERS_LIMIT = 10_000;

type OpenAnnotation = { id: string; text: string; startSlot: string; endSlot: string; reference: string; previous: string; line: number };
type OpenTier = Omit<EafTier, 'annotations' | 'constraint'> & { readonly line: number; readonly annotations: OpenAnnotation[] };

/**
 * Reads an ELAN file; its one part comes at the end, because tiers refer to each other in any order. Faults: 'not-well-formed',
 * 'unknown-tier', 'unknown-annotation', 'unknown-time', 'circular-tier', 'repeated-tier', 'repeated-id'.
 * @throws InputError '<area>.not-eaf', '<area>.too-large'; what createXmlReader throws. @see mpi.nl/tools/elan/EAFv3.0.xsd
 */
export function eafParser(place: FormatPlace): PieceParser<Eaf> {
  return xmlScanner<Eaf>(place, { element: 'ANNOTATION_DOCUMENT', format: 'eaf', called: 'an ELAN file' }, ({ line, emit, isDamaged }) => {
    const add: AddFault = (reason, facts) => emit(fault(reason, facts));
    const tiers: OpenTier[] = [];
    const slots = new Map<string, number | null>();
    const constraints = new Map<string, string>();
    const mediaNames: string[] = [];
    let version = '';
    let count = 0;
    let annotation: OpenAnnotation | null = null;
    let isValue = false;
    const open = (opened: OpenAnnotation): void => {
      count += 1;
      if (count > ANNOTATIONS_LIMIT) throw badFile('too-large', place, `expected at most ${ANNOTATIONS_LIMIT} annotations, found more. Split the file.`, opened.line);
      annotation = opened;
      const tier = tiers.at(-1);
      if (tier === undefined) add('unknown-tier', { line: opened.line, expected: 'annotations inside a tier', found: opened.id });
      else tier.annotations.push(opened);
    };
    return {
      onOpen: (name, attributes) => {
        const value = (key: string): string => attributes[key] ?? '';
        if (name === 'ANNOTATION_DOCUMENT') version = attributes['FORMAT'] ?? value('VERSION');
        else if (name === 'MEDIA_DESCRIPTOR') mediaNames.push(value('MEDIA_URL').split(/[/\\]/).at(-1) ?? '');
        else if (name === 'TIME_SLOT') slots.set(value('TIME_SLOT_ID'), timeOf(attributes['TIME_VALUE']));
        else if (name === 'LINGUISTIC_TYPE') constraints.set(value('LINGUISTIC_TYPE_ID'), value('CONSTRAINTS'));
        else if (name === 'TIER') {
          if (tiers.length >= TIERS_LIMIT) throw badFile('too-large', place, `expected at most ${TIERS_LIMIT} tiers, found more.`, line());
          tiers.push({ name: value('TIER_ID'), parent: attributes['PARENT_REF'] ?? null, type: value('LINGUISTIC_TYPE_REF'), participant: value('PARTICIPANT'), language: attributes['LANG_REF'] ?? value('DEFAULT_LOCALE'), line: line(), annotations: [] });
        } else if (name === 'ALIGNABLE_ANNOTATION' || name === 'REF_ANNOTATION') {
          open({ id: value('ANNOTATION_ID'), text: '', startSlot: value('TIME_SLOT_REF1'), endSlot: value('TIME_SLOT_REF2'), reference: value('ANNOTATION_REF'), previous: value('PREVIOUS_ANNOTATION'), line: line() });
        } else if (name === 'ANNOTATION_VALUE') isValue = annotation !== null;
      },
      onText: (text) => {
        if (!isValue || annotation === null) return;
        annotation.text += text;
        if (isDamaged() && text.includes('\uFFFD')) add('invalid-bytes', { line: annotation.line, expected: 'text in the encoding of the file', found: text });
      },
      onClose: (name) => {
        if (name === 'ANNOTATION_VALUE') isValue = false;
        else if (name === 'ALIGNABLE_ANNOTATION' || name === 'REF_ANNOTATION') annotation = null;
      },
      onDamage: (expected, found) => add('not-well-formed', { line: line(), expected, found }),
      onEnd: () => emit(part({ version, mediaNames, tiers: resolveTiers({ tiers, slots, constraints, add }) })),
    };
  });
}

function timeOf(value: string | undefined): number | null {
  if (value === undefined || !/^-?\d{1,15}$/.test(value.trim())) return null;
  return Number(value);
}

type AddFault = (reason: string, facts: Omit<FormatFault, 'reason'>) => void;

type Resolving = { readonly tiers: readonly OpenTier[]; readonly slots: Map<string, number | null>; readonly constraints: ReadonlyMap<string, string>; readonly add: AddFault };

type Times = { readonly startMs: number | null; readonly endMs: number | null };
type Known = Times & { readonly parentId: string | null };

/** Gives each annotation its times and its parent; tiers come out in document order. */
function resolveTiers({ tiers, slots, constraints, add }: Resolving): EafTier[] {
  const byName = new Map<string, OpenTier>();
  for (const tier of tiers) {
    if (byName.has(tier.name)) add('repeated-tier', { line: tier.line, expected: 'each tier name once', found: tier.name });
    else byName.set(tier.name, tier);
  }
  const byId = new Map<string, { readonly annotation: OpenAnnotation; readonly tier: OpenTier }>();
  for (const tier of tiers) {
    interpolate(tier.annotations, slots);
    for (const annotation of tier.annotations) {
      if (byId.has(annotation.id)) add('repeated-id', { line: annotation.line, expected: 'each annotation id once', found: annotation.id });
      else byId.set(annotation.id, { annotation, tier });
    }
  }
  const parents = parentsOf({ tiers, byName, add });
  const known = new Map<OpenAnnotation, Known>();
  const resolve = (annotation: OpenAnnotation): Known => {
    const chain: OpenAnnotation[] = [];
    let at: OpenAnnotation | undefined = annotation;
    let times: Times = { startMs: null, endMs: null };
    const onChain = new Set<OpenAnnotation>();
    while (at !== undefined) {
      const done = known.get(at);
      if (done !== undefined) {
        times = done;
        break;
      }
      if (onChain.has(at)) {
        add('circular-annotation', { line: at.line, expected: 'references that end', found: `${at.id} refers to itself` });
        break;
      }
      chain.push(at);
      onChain.add(at);
      if (at.reference === '') break;
      const next: OpenAnnotation | undefined = byId.get(at.reference)?.annotation;
      if (next === undefined) add('unknown-annotation', { line: at.line, expected: 'the id of an annotation', found: at.reference });
      at = next;
    }
    for (const one of chain.toReversed()) {
      if (one.reference === '') times = ownTimes(one, slots, add);
      known.set(one, { ...times, parentId: one.reference === '' ? null : byId.has(one.reference) ? one.reference : null });
    }
    return known.get(annotation) ?? { ...times, parentId: null };
  };
  const resolved = new Map<OpenTier, readonly EafAnnotation[]>();
  for (const tier of tiers) {
    resolved.set(tier, tier.annotations.map((annotation) => {
      const { startMs, endMs, parentId } = resolve(annotation);
      return { id: annotation.id, text: oneLine(annotation.text), startMs, endMs, parentId, previousId: annotation.previous === '' ? null : annotation.previous, line: annotation.line };
    }));
  }
  return tiers.map((tier) => {
    const parent = parents.get(tier) ?? null;
    const annotations = resolved.get(tier) ?? [];
    const inParent = parent === null ? null : (resolved.get(parent) ?? []);
    return {
      name: tier.name,
      parent: parent?.name ?? null,
      type: tier.type,
      constraint: constraints.get(tier.type) ?? '',
      participant: tier.participant,
      language: tier.language,
      annotations: inParent === null ? annotations : withParentsByTime(annotations, inParent),
    };
  });
}

/** The parent tier of each tier; a chain that comes back to itself is cut. */
function parentsOf({ tiers, byName, add }: { readonly tiers: readonly OpenTier[]; readonly byName: ReadonlyMap<string, OpenTier>; readonly add: AddFault }): ReadonlyMap<OpenTier, OpenTier> {
  const parents = new Map<OpenTier, OpenTier>();
  for (const tier of tiers) {
    if (tier.parent === null || tier.parent === '') continue;
    const parent = byName.get(tier.parent);
    if (parent === undefined) {
      add('unknown-tier', { line: tier.line, expected: 'the name of a tier as parent', found: tier.parent });
      continue;
    }
    let at: OpenTier | undefined = parent;
    while (at !== undefined && at !== tier) at = parents.get(at);
    if (at === tier) add('circular-tier', { line: tier.line, expected: 'parents that end', found: `"${tier.name}" above itself` });
    else parents.set(tier, parent);
  }
  return parents;
}

function ownTimes({ startSlot, endSlot, line, id }: OpenAnnotation, slots: ReadonlyMap<string, number | null>, add: AddFault): Times {
  const startMs = slots.get(startSlot);
  const endMs = slots.get(endSlot);
  if (startMs === undefined || endMs === undefined) add('unknown-time', { line, expected: 'time slots of the file', found: `${id} from "${startSlot}" to "${endSlot}"` });
  return { startMs: startMs ?? null, endMs: endMs ?? null };
}

/**
 * Slots without a value lie between annotations of a time subdivision, each of which begins where the one before ends. They are
 * spread evenly between the known times at the two ends of such a chain, as ELAN draws them.
 */
function interpolate(annotations: readonly OpenAnnotation[], slots: Map<string, number | null>): void {
  const next = new Map<string, string>();
  const hasBefore = new Set<string>();
  for (const { startSlot, endSlot } of annotations) {
    if (startSlot === '' || startSlot === endSlot || !slots.has(startSlot) || !slots.has(endSlot) || next.has(startSlot)) continue;
    next.set(startSlot, endSlot);
    if (slots.get(startSlot) === null) hasBefore.add(endSlot);
  }
  for (const first of next.keys()) {
    const from = slots.get(first);
    if (from === null || from === undefined) continue;
    const unknown: string[] = [];
    let at = next.get(first);
    while (at !== undefined && slots.get(at) === null && unknown.length <= next.size) {
      unknown.push(at);
      at = next.get(at);
    }
    const to = at === undefined ? undefined : slots.get(at);
    if (unknown.length === 0 || to === null || to === undefined) continue;
    unknown.forEach((slot, i) => slots.set(slot, Math.round(from + ((to - from) * (i + 1)) / (unknown.length + 1))));
  }
}

/** Annotations with times of their own belong to the one of the parent tier in which their middle lies. */
function withParentsByTime(annotations: readonly EafAnnotation[], inParent: readonly EafAnnotation[]): readonly EafAnnotation[] {
  const timed = inParent
    .flatMap(({ id, startMs, endMs }) => (startMs === null || endMs === null ? [] : [{ id, startMs, endMs }]))
    .sort((a, b) => a.startMs - b.startMs);
  return annotations.map((annotation) => {
    const { startMs, endMs, parentId } = annotation;
    if (parentId !== null || timed.length === 0) return annotation;
    const middle = startMs !== null && endMs !== null ? (startMs + endMs) / 2 : (startMs ?? endMs);
    if (middle === null) return annotation;
    let low = 0;
    let high = timed.length;
    while (high - low > 1) {
      const at = (low + high) >> 1;
      if ((timed[at]?.startMs ?? Infinity) <= middle) low = at;
      else high = at;
    }
    const found = timed[low];
    return found !== undefined && found.startMs <= middle && middle <= found.endMs ? { ...annotation, parentId: found.id } : annotation;
  });
}
