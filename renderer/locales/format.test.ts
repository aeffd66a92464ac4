/** Are numbers, times and sizes said as a person would? */
import { afterEach, describe, expect, it } from 'vitest';
import { formatAgo, formatBytes, formatCount, formatDecimal, formatDuration, formatList, formatLocale, formatMoment, formatTimesInHundred } from './format.ts';
import { askForNames, bothLanguageNames, chosenLanguage, languageName, ownLanguageName, rememberGivenNames, rememberLanguageNames } from './language-names.ts';
import './test-languages.ts';
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
    [HOUR + MINUTE, 'about 1 hour 1 minute'],
    [3 * HOUR, 'about 3 hours'],
    [HOUR + 59 * MINUTE + 50 * SECOND, 'about 2 hours'],
  ])('%i ms is "%s"', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

describe('every interface language', () => {
  const moment = { thenMs: 0, nowMs: 3 * MINUTE };
  it.each([
    ['es', ['unos 4 minutos', 'alrededor de 1 hora y 11 minutos', '1,2 GB', '15.120', '0,50', 'hace 3 minutos', 'a, b y c']],
    ['fr', ['environ 4 minutes', 'environ 1 heure et 11 minutes', '1,2 Go', '15\u202f120', '0,50', 'il y a 3 minutes', 'a, b et c']],
    ['sw', ['takriban dakika 4', 'takriban saa 1 na dakika 11', '1.2 GB', '15,120', '0.50', 'dakika 3 zilizopita', 'a, b na c']],
    ['ar', ['نحو 4 دقائق', 'نحو ساعة و11 دقيقة', '1.2 غ.ب', '15,120', '0.50', 'قبل 3 دقائق', 'a وb وc']],
  ] as const)('%s says times, sizes, numbers, moments and lists in its own way', (language, said) => {
    setInterfaceLanguage(language);
    expect([formatDuration(4 * MINUTE), formatDuration(HOUR + 11 * MINUTE), formatBytes(1_240e6), formatCount(15_120), formatDecimal(0.5, 2), formatAgo(moment), formatList(['a', 'b', 'c'])].map((text) => text.replace(/[\u200e\u200f]/g, ''))).toEqual(said);
  });

  it('writes numbers as the region of the reader does, with the digits of the messages', () => {
    setInterfaceLanguage('es');
    expect(formatLocale(['en-US', 'es-MX', 'es-ES'])).toBe('es-MX-u-nu-latn');
    expect(formatLocale(['en-US'])).toBe('es-u-nu-latn');
    setInterfaceLanguage('ar');
    expect(new Intl.NumberFormat(formatLocale(['ar-EG'])).format(1512)).toBe('1,512');
  });

  it('writes dates in its own order', () => {
    const at = new Date(2026, 10, 20, 17, 5).getTime();
    setInterfaceLanguage('fr');
    expect(formatMoment(at)).toBe('20/11/2026 17:05');
    setInterfaceLanguage('es');
    expect(formatMoment(at)).toMatch(/^20\/11\/26, 17:05$/);
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

  it('what the browser cannot name the program is asked for, once for each interface language, never for a private-use tag', async () => {
    const asked: string[] = [];
    askForNames((tag, inLanguage) => {
      asked.push(`${tag} ${inLanguage}`);
      return tag === 'zzy' ? Promise.reject(new Error('not a language')) : Promise.resolve(`${tag} as ${inLanguage} says it`);
    });
    setInterfaceLanguage('en');
    expect([languageName('zzx'), languageName('zzx', 'Zed'), languageName('zzy'), languageName('x-1w2k3j4'), languageName('sw')]).toEqual(['zzx', 'Zed', 'zzy', '1w2k3j4', 'Swahili']);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect([languageName('zzx'), languageName('zzx', 'Zed'), languageName('zzy', 'Zed y')]).toEqual(['zzx as en says it', 'zzx as en says it', 'Zed y']);
    expect(asked).toEqual(['zzx en', 'zzy en']);
    setInterfaceLanguage('fr');
    expect(languageName('zzx')).toBe('zzx');
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(languageName('zzx')).toBe('zzx as fr says it');
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
