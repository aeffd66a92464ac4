/** Facts about language tags, their scripts and names. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../base/errors.ts';
import { canonicaliseTag, describeLanguage, isLanguageTag, listLanguages, parseLanguageTag, privateUseTag, suggestLanguages } from './language.ts';
import { dominantScript, hasWordSpaces, scriptDirection } from './scripts.ts';

describe('parseLanguageTag', () => {
  it('writes every spelling of a tag in one form', () => {
    const forms: Readonly<Record<string, string>> = {
      'EN_us': 'en-US', eng: 'en', swh: 'sw', arb: 'ar', cmn: 'zh', 'zh-cmn': 'zh', 'zh-yue': 'yue', 'zh-min-nan': 'nan', iw: 'he', kmr: 'ku', 'i-klingon': 'tlh',
      'hi-Deva': 'hi', 'sr-latn': 'sr-Latn', 'az-arab': 'az-Arab', 'x-Kisukuma': 'x-kisukuma', 'sw-x-SUKU1261': 'sw-x-suku1261', 'sw-Latn-x-suku1261': 'sw-x-suku1261',
      'und-x-abc': 'und-x-abc', 'und-latn-x-abc': 'und-Latn-x-abc', suk: 'suk', qaa: 'qaa', ' yo ': 'yo',
    };
    for (const [written, canonical] of Object.entries(forms)) {
      expect(canonicaliseTag(written), written).toBe(canonical);
      expect(canonicaliseTag(canonical), canonical).toBe(canonical);
    }
  });
  it('says language, script, region and private parts', () => {
    expect(parseLanguageTag('pa-PK')).toEqual({ tag: 'pa-PK', language: 'pa', script: 'Arab', region: 'PK', privateUse: [] });
    expect(parseLanguageTag('und-Thai-x-phuan')).toEqual({ tag: 'und-Thai-x-phuan', language: null, script: 'Thai', region: null, privateUse: ['phuan'] });
    expect(parseLanguageTag('x-kisukuma').script).toBeNull();
    expect(parseLanguageTag('tlh').script).toBeNull();
  });
  it('refuses what is no tag, with what was found', () => {
    for (const text of ['', 'english', 'swahili language', 'a', 'x-', 'x-toolongsubtag', 'en--us', '../x']) {
      expect(isLanguageTag(text), text).toBe(false);
      expect(() => parseLanguageTag(text)).toThrow(InputError);
    }
    expect(() => parseLanguageTag('english')).toThrow(/"english"/);
  });
});

describe('describeLanguage', () => {
  it('names a language in itself and in English', () => {
    expect(describeLanguage('swh')).toMatchObject({ tag: 'sw', englishName: 'Swahili', ownName: 'Kiswahili', direction: 'ltr', isListed: true });
    expect(describeLanguage('ar')).toMatchObject({ ownName: 'العربية', direction: 'rtl', script: 'Arab' });
    expect(describeLanguage('en-u-ca-buddhist').englishName).toBe('English');
  });
  it('names unlisted languages by what their tag says', () => {
    expect(describeLanguage('x-kisukuma')).toMatchObject({ englishName: 'kisukuma', isListed: false, script: null });
    expect(describeLanguage('sw-x-suku1261').englishName).toBe('Swahili (suku1261)');
  });
  it('takes the script of the text where the tag leaves it open', () => {
    expect(describeLanguage('x-ajami', dominantScript('هَوُسَ')).direction).toBe('rtl');
    expect(describeLanguage('x-phuan', 'Thai').hasWordSpaces).toBe(false);
  });
});

describe('scripts', () => {
  it('run as the runtime says, for every language it lists', () => {
    let checked = 0;
    for (const { tag } of listLanguages()) {
      const locale = new Intl.Locale(tag).maximize();
      const info = 'getTextInfo' in locale && typeof locale.getTextInfo === 'function' ? (locale.getTextInfo as () => { direction?: string }).call(locale) : {};
      if (locale.script === undefined || info.direction === undefined) continue;
      expect(scriptDirection(locale.script), tag).toBe(info.direction);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(300);
  });
  it('are found from text', () => {
    const texts: Readonly<Record<string, string>> = { Latn: 'Kiswahili 12', Arab: 'العربية', Jpan: '日本語の', Hani: '我们', Nkoo: 'ߒߞߏ', Thai: 'ไทย', Ethi: 'አማርኛ', Deva: 'हिन्दी and' };
    for (const [script, text] of Object.entries(texts)) expect(dominantScript(text)).toBe(script);
    expect(dominantScript('12 + 3 = 15 😀')).toBeNull();
  });
  it('without word spaces are known', () => {
    expect(['Thai', 'Khmr', 'Laoo', 'Mymr', 'Jpan', 'Hans', 'Tibt'].map((script) => hasWordSpaces(script))).toEqual(Array.from({ length: 7 }, () => false));
    expect(['Latn', 'Hang', 'Ethi', 'Nkoo', null].every((script) => hasWordSpaces(script))).toBe(true);
  });
});

describe('suggestLanguages', () => {
  it('finds by code, English name and own name, marks and case aside', () => {
    for (const [typed, tag] of [['swh', 'sw'], ['SWAHILI', 'sw'], ['kiswa', 'sw'], ['yorù', 'yo'], ['espan', 'es'], ['عرب', 'ar'], ['luo', 'luo'], ['हिन्', 'hi']] as const) {
      expect(suggestLanguages(typed)[0]?.tag, typed).toBe(tag);
    }
  });
  it('gives nothing for nothing, and only canonical tags', () => {
    expect(suggestLanguages('  ')).toEqual([]);
    expect(suggestLanguages('zzzzzz')).toEqual([]);
    expect(listLanguages().length).toBeGreaterThan(500);
    expect(listLanguages().some(({ tag }) => tag === 'swh' || tag === 'eng')).toBe(false);
  });
});

describe('privateUseTag', () => {
  it('makes a valid tag of any name', () => {
    expect(privateUseTag('Kisukuma')).toBe('x-kisukuma');
    expect(privateUseTag('Luhya Bukusu')).toBe('x-luhya-bukusu');
    for (const name of ['Ọ̀wọ̀rọ̀', 'ภาษา', 'a very long language name indeed', '!']) expect(isLanguageTag(privateUseTag(name)), name).toBe(true);
  });

  it('keeps names apart that no Latin letters tell apart, and stays short', () => {
    const names = ['ภาษาอีสาน', 'ภาษาเหนือ', 'ภาษา', 'لغة البحر', 'لغة الجبل', 'Ɓasaa', 'Asaa', `${'very '.repeat(30)}long`, `${'very '.repeat(30)}longer`];
    const tags = names.map(privateUseTag);
    expect(new Set(tags).size).toBe(names.length);
    for (const tag of tags) expect(tag).toMatch(/^x(-[a-z0-9]{1,8}){1,7}$/);
    expect(() => privateUseTag('  ')).toThrow('language tag');
  });
});
