import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildIndex } from './build-index.ts';
import { createHashEncoder } from './hash-encoder.ts';
import { matchingForm } from './matching-form.ts';
import { matchingRulesSchema, noMatchingRules, parseMatchingRules, rulesFingerprint, ruleRewriter } from './matching-rules.ts';
import { openIndex } from './open-index.ts';

const rewrite = (rules: object, word: string): string => ruleRewriter(matchingRulesSchema.parse(rules), matchingForm)(matchingForm(word));

describe('matching rules', () => {
  it('replace every spelling of a group by the first, the longest that fits first', () => {
    const rules = { equivalents: [['ŋ', 'ng', "ng'"], ['š', 'sh'], ['x', 'ks']] };
    expect(rewrite(rules, "Ng'ombe")).toBe('ŋombe');
    expect(rewrite(rules, 'NGOSHI')).toBe('ŋoši');
    expect(rewrite(rules, 'ŋoši')).toBe('ŋoši');
    expect(rewrite(rules, 'aksx')).toBe('axx');
  });

  it('may swap letters without running in circles', () => {
    expect(rewrite({ equivalents: [['a', 'b'], ['b', 'a']] }, 'abba')).toBe('baab');
  });

  it('take marks and apostrophes away where a project wants it', () => {
    expect(rewrite({ ignoreMarks: true }, 'ọ̀rọ̀')).toBe('oro');
    expect(rewrite({ ignoreApostrophes: true }, 'oʻzbek')).toBe('ozbek');
    expect(rewrite({}, 'ọ̀rọ̀')).toBe(matchingForm('ọ̀rọ̀'));
  });

  it('read characters of regular expressions as letters', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 4 }), fc.string(), (spelling, word) => {
        expect(() => rewrite({ equivalents: [['a', spelling]] }, word)).not.toThrow();
      }),
    );
    expect(rewrite({ equivalents: [['k', '.']] }, 'a.b')).toBe('akb');
  });

  it('have one fingerprint for what matches alike, and none when there are none', () => {
    expect(rulesFingerprint(noMatchingRules)).toBe('');
    expect(rulesFingerprint(matchingRulesSchema.parse({ equivalents: [['a', 'b']] }))).not.toBe(rulesFingerprint(matchingRulesSchema.parse({ equivalents: [['b', 'a']] })));
  });

  it('that are wrong are refused by name', () => {
    expect(() => parseMatchingRules({ equivalents: [['alone']] })).toThrow(expect.objectContaining({ code: 'matching.bad-rules', family: 'input' }));
  });

  it('change what a library finds, with highlights in the text as it is written, and can be changed at opening', async () => {
    const root = await mkdtemp(join(tmpdir(), 'isogloss-rules-'));
    try {
      const [documentsFolder, indexFolder] = [join(root, 'documents'), join(root, 'index')];
      await mkdir(documentsFolder);
      await writeFile(join(documentsFolder, 'a.txt'), 'Ng’ombe wangu amelala.');
      await writeFile(join(documentsFolder, 'b.txt'), 'Mbuzi wako amekula.');
      const encoder = createHashEncoder({ width: 16 });
      const rules = matchingRulesSchema.parse({ equivalents: [['ŋ', "ng'", 'ng']] });
      await buildIndex({ encoder, documentsFolder, indexFolder, rules, signal: new AbortController().signal });
      const find = async (options: Parameters<typeof openIndex>[2], query: string) => {
        const index = await openIndex(indexFolder, encoder, options);
        try {
          return (await index.search({ query, method: 'bm25' })).hits.map(({ path, text, highlights }) => ({ path, shown: highlights.map(({ start, end }) => text.slice(start, end)) }));
        } finally {
          index.dispose();
        }
      };
      expect(await find({}, 'ŋombe')).toEqual([{ path: 'a.txt', shown: ['Ng’ombe'] }]);
      expect(await find({ rules: noMatchingRules }, 'ŋombe')).toEqual([]);
      expect(await find({ rules: matchingRulesSchema.parse({ equivalents: [['k', 'l']] }) }, 'amekuka')).toMatchObject([{ path: 'b.txt' }]);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
