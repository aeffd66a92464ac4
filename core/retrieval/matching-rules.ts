/** Which spellings does this project treat as one? Rules that change what matches, never what is shown. */
import { z } from 'zod';
import { sha256 } from '../base/hashing.ts';
import { InputError } from '../base/errors.ts';

const MOST_RULES = 1000;
const LONGEST_SPELLING = 64;
/** Characters with a meaning in a regular expression. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
const spelling = z.string().min(1).max(LONGEST_SPELLING);

/** Kept in the project and given when an index is built or opened. */
export const matchingRulesSchema = z
  .object({
    /** Spellings that count as the first of their group: letters (["ŋ", "ng"]), digraphs (["sh", "š"]), whole orthographies letter by letter. Longer spellings go first. */
    equivalents: z.array(z.array(spelling).min(2).max(LONGEST_SPELLING).readonly()).max(MOST_RULES).readonly().default([]),
    /** Whether marks (accents, tones, vowel points) count nothing in every script. Wrong for Indic scripts and Thai, where marks are letters; for projects that know. */
    ignoreMarks: z.boolean().default(false),
    /** Whether apostrophe-like letters (ʻ ʼ ' ’) count nothing. */
    ignoreApostrophes: z.boolean().default(false),
  })
  .readonly();

export type MatchingRules = z.infer<typeof matchingRulesSchema>;

export const noMatchingRules: MatchingRules = { equivalents: [], ignoreMarks: false, ignoreApostrophes: false };

/** Rules from outside. @throws InputError 'matching.bad-rules' naming the first that is wrong. */
export function parseMatchingRules(value: unknown): MatchingRules {
  const parsed = matchingRulesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InputError('matching.bad-rules', `The matching rules cannot be used: ${z.prettifyError(parsed.error).split('\n')[0] ?? ''}. Give groups of two or more spellings.`, { cause: parsed.error });
}

/** Equal for rules that match alike; "" for none. */
export function rulesFingerprint(rules: MatchingRules): string {
  const isNone = rules.equivalents.length === 0 && !rules.ignoreMarks && !rules.ignoreApostrophes;
  return isNone ? '' : sha256(JSON.stringify([rules.equivalents, rules.ignoreMarks, rules.ignoreApostrophes]));
}

/**
 * Rewrites a word in its matching form (NFKC, case folded) by the rules: one pass from the left, the longest spelling that fits first,
 * each replaced by the first of its group; what was written is not read again, so rules can swap letters and never run in circles.
 */
export function ruleRewriter(rules: MatchingRules, form: (text: string) => string): (word: string) => string {
  const targets = new Map<string, string>();
  for (const [first = '', ...others] of rules.equivalents) for (const other of others) if (form(other) !== '') targets.set(form(other), form(first));
  const spellings = [...targets.keys()].sort((a, b) => b.length - a.length);
  const pattern = spellings.length === 0 ? null : new RegExp(spellings.map((text) => text.replace(SYNTAX, '\\$&')).join('|'), 'gu');
  return (word) => {
    let rewritten = pattern === null ? word : word.replace(pattern, (found) => targets.get(found) ?? found);
    if (rules.ignoreApostrophes) rewritten = rewritten.replaceAll("'", '');
    if (rules.ignoreMarks) rewritten = rewritten.normalize('NFD').replace(/\p{M}+/gu, '').normalize('NFC');
    return rewritten;
  };
}
