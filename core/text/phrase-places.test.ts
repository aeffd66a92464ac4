import { describe, expect, it } from 'vitest';
import { findPhrase, phraseForm } from './phrase-places.ts';

const found = (text: string, phrase: string): string | null => {
  const span = findPhrase(text, phrase);
  return span === null ? null : text.slice(span.start, span.end);
};

describe('the place of a phrase', () => {
  it('is found whatever the case, and only on word borders', () => {
    expect(findPhrase('Kampuni zinaunda Chanjo dhidi ya virusi.', 'chanjo')).toEqual({ start: 17, end: 23 });
    expect(found('The contagion spread.', 'agion')).toBeNull();
    expect(found('COVID-19: spread of covid-19', 'covid-19')).toBe('COVID-19');
    expect(found('a category of cat, said the cat-lover', 'cat')).toBe('cat');
    expect(findPhrase('a category of cat, said the cat-lover', 'cat')?.start).toBe(14);
  });

  it('needs no borders in scripts without spaces, nor between scripts', () => {
    expect(found('เขาเป็นโรคปอดบวมเมื่อปีที่แล้ว', 'ปอดบวม')).toBe('ปอดบวม');
    expect(found('患者は肺炎で入院した', '肺炎')).toBe('肺炎');
    expect(found('ผู้ป่วยSARSในไทย', 'SARS')).toBe('SARS');
  });

  it('never ends between a letter and its mark', () => {
    expect(found('ก่า', 'ก')).toBeNull();
    expect(found('किताब', 'क')).toBeNull();
  });

  it('prefers the same spelling to one that is equal when folded, and takes either writing of a letter', () => {
    expect(found('ma rồi má', 'má')).toBe('má');
    expect(found('chỉ có ma', 'má')).toBe('ma');
    expect(found('ọ̀rọ̀ náà'.normalize('NFD'), 'ọ̀rọ̀'.normalize('NFC'))).toBe('ọ̀rọ̀'.normalize('NFD'));
    expect(phraseForm('  Ọ̀rọ̀   Náà '.normalize('NFD'))).toBe('ọ̀rọ̀ náà'.normalize('NFC'));
  });

  it('is nowhere for a phrase of nothing', () => {
    expect(findPhrase('a text', ' ')).toBeNull();
    expect(findPhrase('', 'a')).toBeNull();
  });
});
