/** Are numbers, times and sizes said as a person would? */
import { afterEach, describe, expect, it } from 'vitest';
import { formatAgo, formatBytes, formatCount, formatDuration, formatList, formatTimesInHundred } from './format.ts';
import { bothLanguageNames, chosenLanguage, languageName, ownLanguageName, rememberGivenNames, rememberLanguageNames } from './language-names.ts';
import { setInterfaceLanguage } from './translate.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

afterEach(() => setInterfaceLanguage('en'));

describe('a length of time', () => {
  it.each([
    [0, 'a few seconds'],
    [-5, 'a few seconds'],
    [9 * SECOND, 'a few seconds'],
    [42 * SECOND, 'about 40 seconds'],
    [89 * SECOND, 'about 90 seconds'],
    [95 * SECOND, 'about 2 minutes'],
    [4 * MINUTE, 'about 4 minutes'],
    [HOUR, 'about 1 hour'],
    [HOUR + 11 * MINUTE, 'about 1 hour 11 minutes'],
    [3 * HOUR, 'about 3 hours'],
    [HOUR + 59 * MINUTE + 50 * SECOND, 'about 2 hours'],
  ])('%i ms is "%s"', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

describe('sizes and counts', () => {
  it('are grouped and have a unit', () => {
    expect(formatCount(1512)).toBe('1,512');
    expect(formatBytes(500)).toBe('1 kB');
    expect(formatBytes(820e6)).toBe('820 MB');
    expect(formatBytes(1_240e6)).toBe('1.2 GB');
  });

  it('a share becomes times in a hundred', () => {
    expect(formatTimesInHundred(0.614)).toBe('61');
    expect(formatTimesInHundred(1)).toBe('100');
  });
});

describe('moments and lists', () => {
  it('a moment is told from now', () => {
    const nowMs = 10 * 24 * HOUR;
    expect(formatAgo({ thenMs: nowMs - 10 * SECOND, nowMs })).toBe('now');
    expect(formatAgo({ thenMs: nowMs - 3 * MINUTE, nowMs })).toBe('3 minutes ago');
    expect(formatAgo({ thenMs: nowMs - 24 * HOUR, nowMs })).toBe('yesterday');
  });

  it('a list ends with "and"', () => {
    expect(formatList(['a', 'b'])).toBe('a and b');
  });
});

describe('names of languages', () => {
  it('are the speakers own first, the interface language beside it', () => {
    expect(ownLanguageName('sw')).toBe('Kiswahili');
    expect(languageName('sw')).toBe('Swahili');
    expect(bothLanguageNames('sw')).toBe('Kiswahili (Swahili)');
    expect(bothLanguageNames('en')).toBe('English');
  });

  it('follow the interface language', () => {
    setInterfaceLanguage('ar');
    expect(languageName('sw')).toBe('السواحلية');
  });

  it('an unlisted language keeps the name it was given; a tag that nobody can read stays itself', () => {
    expect(languageName('qaa-x-kisukuma', 'Kisukuma')).toBe('Kisukuma');
    expect(languageName('not a tag')).toBe('not a tag');
  });

  it('an unlisted language is called as its project calls it, else by the readable part of its tag', () => {
    expect(languageName('qaa-x-lake-shore')).toBe('Lake Shore');
    rememberLanguageNames([{ tag: 'qaa-x-lake-shore', name: 'Kilake of the shore', isListed: false }]);
    expect(languageName('qaa-x-lake-shore')).toBe('Kilake of the shore');
    rememberGivenNames({ 'x-1w2k3j4': 'ภาษาริมทะเล' });
    expect(bothLanguageNames('x-1w2k3j4')).toBe('ภาษาริมทะเล');
    expect(chosenLanguage({ tag: 'x-1w2k3j4', name: 'ภาษาริมทะเล', isListed: false })).toEqual({ tag: 'x-1w2k3j4', name: 'ภาษาริมทะเล' });
    expect(chosenLanguage({ tag: 'sw', name: 'Swahili', isListed: true })).toEqual({ tag: 'sw' });
  });
});
