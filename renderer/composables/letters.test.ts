/** Are the letters of a language found, ordered, and inserted where the person writes? */
import { describe, expect, it } from 'vitest';
import type { Corpus } from '../../main/contract/index.ts';
import { fontRules } from './useLanguageFonts.ts';
import { lettersIn, lettersOf, projectLetters } from './letters.ts';

const corpus: Corpus = {
  id: 'c', name: 'a.tsv', paths: ['/a.tsv'], role: 'pairs', format: 'tsv', languages: { kind: 'two', source: 'en', target: 'ewo' },
  rows: [{ kind: 'pair', source: 'café', target: 'Ŋgɔ́n ɛ bə́lí, 12', line: 1 }], counts: { records: 1, problems: 0, sizeBytes: 1 }, problems: [], licence: null, addedAt: 1, state: 'present',
};

describe('the letters of a language', () => {
  it('are those of its texts that no plain keyboard has, with their marks, each once', () => {
    expect(lettersOf(['Ŋgɔ́n ɛ bə́lí', 'ŋ 12 abc!'], 'ewo')).toEqual(expect.arrayContaining(['ŋ', 'ɔ́', 'ɛ', 'ə́', 'í']));
    expect(lettersOf(['Ŋgɔ́n ɛ bə́lí', 'ŋ 12 abc!'], 'ewo')).toHaveLength(5);
    expect(lettersOf(["don't abc", 'plain'], 'en')).toEqual([]);
    expect(lettersOf(['ماء نار'], 'ar')).toEqual(['ا', 'ر', 'م', 'ن', 'ء'].toSorted(new Intl.Collator('ar').compare));
  });

  it('of scripts with vowel signs are single signs; points that texts leave out are none', () => {
    expect([...lettersOf(['مَاءً ـــً'], 'ar')].sort()).toEqual(['ء', 'ا', 'م']);
    expect([...lettersOf(['ที่นี่'], 'th')].sort()).toEqual(['ท', 'น', '\u0e35', '\u0e48']);
    expect([...lettersOf(['कि'], 'hi')].sort()).toEqual(['क', '\u093f']);
  });

  it('keep the letters that look like signs: glottal stops and saltillo', () => {
    expect(lettersOf(['ʻokina ꞌ ʼ'], 'haw')).toEqual(expect.arrayContaining(['ʻ', 'ꞌ', 'ʼ']));
  });

  it('come from the project, from the side of the pair that is in the language, unless the person says them', () => {
    expect(projectLetters({ tag: 'ewo', corpora: [corpus], looks: {} })).toHaveLength(5);
    expect(projectLetters({ tag: 'en', corpora: [corpus], looks: {} })).toEqual(['é']);
    expect(projectLetters({ tag: 'ewo', corpora: [corpus], looks: { ewo: { font: null, letters: 'ŋ  gb ŋ\nɓ' } } })).toEqual(['ŋ', 'gb', 'ɓ']);
    expect(projectLetters({ tag: 'ewo', corpora: [corpus], looks: { ewo: { font: 'Andika', letters: null } } })).toHaveLength(5);
  });

  it('are at most so many as can be looked at', () => {
    expect(lettersOf([Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(' ')], 'zh')).toHaveLength(80);
    expect(lettersIn(' \n ')).toEqual([]);
  });
});

describe('the font of a language', () => {
  it('is one rule a language, and nothing that a name may hold ends the rule', () => {
    expect(fontRules({ sw: { font: 'Andika', letters: null }, th: { font: null, letters: 'ก' } })).toBe('.user-text:lang(sw){font-family:"Andika",var(--font-user)}');
    expect(fontRules({ 'x-kilakuva': { font: 'A"} body{display:none', letters: null } })).toBe('.user-text:lang(und-x-kilakuva){font-family:"A\\22 } body{display:none",var(--font-user)}');
    expect(fontRules({ 'sw){} *': { font: 'Andika', letters: null } })).toBe('');
  });
});
