/** Under which terms may something made of several corpora be used? Under the strictest of theirs. */
import { z } from 'zod';

/** Who may see a text, from everybody to nobody else. */
export const ACCESS_LEVELS = ['public', 'registered', 'on-request', 'community', 'closed'] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

/** Whether the speakers agreed: not needed (published), recorded, not recorded, agreed with conditions, or taken back. */
export const CONSENT_STATES = ['not-needed', 'given', 'unknown', 'conditional', 'withdrawn'] as const;
export type Consent = (typeof CONSENT_STATES)[number];

/** What is known about the rights in a corpus; null or left out: nobody has said. */
export const corpusTermsSchema = z.object({
  /** Where it is from: an archive, a collection, a person. */
  source: z.string().max(2000).nullable().default(null),
  /** As its owner names it: "CC BY-NC 4.0", "all rights reserved". */
  licence: z.string().max(500).nullable().default(null),
  consent: z.enum(CONSENT_STATES).nullable().default(null),
  access: z.enum(ACCESS_LEVELS).nullable().default(null),
});
export type CorpusTerms = z.infer<typeof corpusTermsSchema>;

export type NamedTerms = CorpusTerms & { readonly name: string };

/** The strictest of each, the corpora that decided it, and a sentence to show. */
export const inheritedTermsSchema = z.object({
  licence: z.string(),
  consent: z.enum(CONSENT_STATES),
  access: z.enum(ACCESS_LEVELS),
  /** Names of the corpora whose terms are the strictest, for each. */
  because: z.object({ licence: z.array(z.string()), consent: z.array(z.string()), access: z.array(z.string()) }),
  sources: z.array(z.string()),
  sentence: z.string(),
});
export type InheritedTerms = z.infer<typeof inheritedTermsSchema>;

export const UNKNOWN_LICENCE = 'unknown';

/** Of the shipped English starter (core/training/starter/README.md): a model that begins from it inherits these too. */
export const STARTER_TERMS: NamedTerms = { name: 'English starter (SQuAD v1.1, MedQuAD)', source: 'Rajpurkar et al. 2016; Ben Abacha and Demner-Fushman 2019', licence: 'CC BY-SA 4.0', consent: 'not-needed', access: 'public' };

/** From free to closed. A licence that no row knows is as strict as none at all: nothing is allowed until somebody says so. */
const LICENCE_ROWS: readonly { readonly fits: RegExp; readonly strictness: number }[] = [
  { fits: /\b(?:cc\s*-?\s*0|public\s+domain|pddl|unlicense)\b|^cc0/i, strictness: 0 },
  { fits: /nc[\s-]*nd|non-?commercial.*no[\s-]*deriv/i, strictness: 7 },
  { fits: /\bnd\b|no[\s-]*deriv/i, strictness: 6 },
  { fits: /nc[\s-]*sa|non-?commercial.*share[\s-]*alike/i, strictness: 5 },
  { fits: /\bnc\b|non-?commercial|research\s+only/i, strictness: 4 },
  { fits: /\bsa\b|share[\s-]*alike|gfdl|\bfdl\b|\bl?gpl|agpl|odbl/i, strictness: 3 },
  { fits: /\bcc[\s-]*by\b|\bmit\b|\bbsd\b|apache|\bisc\b|odc-by|attribution/i, strictness: 2 },
  { fits: /rights?\s+reserved|proprietary|©|copyright/i, strictness: 9 },
];
const UNKNOWN_STRICTNESS = 10;

/** How strict a licence is, from 0 (anything goes) to 10 (unknown: nothing is allowed). */
export function licenceStrictness(licence: string | null): number {
  if (licence === null || licence.trim() === '') return UNKNOWN_STRICTNESS;
  return LICENCE_ROWS.find(({ fits }) => fits.test(licence))?.strictness ?? UNKNOWN_STRICTNESS;
}

const consentOf = ({ consent }: CorpusTerms): Consent => consent ?? 'unknown';
/** A text nobody has opened is closed to others: better asked once too often. */
const accessOf = ({ access }: CorpusTerms): Access => access ?? 'closed';

/**
 * The strictest licence, consent and access of these corpora: what a model trained on them and an index made with it inherit.
 * What nobody has said counts as the strictest there is (licence unknown, access closed), consent as unknown.
 * @returns null for no corpora.
 */
export function strictestTerms(corpora: readonly NamedTerms[]): InheritedTerms | null {
  if (corpora.length === 0) return null;
  const most = (rank: (terms: NamedTerms) => number): readonly NamedTerms[] => {
    const top = Math.max(...corpora.map(rank));
    return corpora.filter((terms) => rank(terms) === top);
  };
  const byLicence = most(({ licence }) => licenceStrictness(licence));
  const byConsent = most((terms) => CONSENT_STATES.indexOf(consentOf(terms)));
  const byAccess = most((terms) => ACCESS_LEVELS.indexOf(accessOf(terms)));
  const [first] = byLicence;
  const licence = first === undefined || first.licence === null || first.licence.trim() === '' ? UNKNOWN_LICENCE : first.licence.trim();
  const consent = byConsent[0] === undefined ? 'unknown' : consentOf(byConsent[0]);
  const access = byAccess[0] === undefined ? 'closed' : accessOf(byAccess[0]);
  const names = (terms: readonly NamedTerms[]): string[] => [...new Set(terms.map(({ name }) => name))];
  const because = { licence: names(byLicence), consent: names(byConsent), access: names(byAccess) };
  const sentence = `Made of ${corpora.length === 1 ? 'one corpus' : `${corpora.length} corpora`}; use it under the strictest of their terms: licence ${licence} (${because.licence.join(', ')}), consent ${consent} (${because.consent.join(', ')}), access ${access} (${because.access.join(', ')}).`;
  return { licence, consent, access, because, sources: [...new Set(corpora.flatMap(({ source }) => (source === null || source.trim() === '' ? [] : [source.trim()])))], sentence };
}
