/** Are the interface languages complete, and does every message keep its places? */
import { describe, expect, it } from 'vitest';
import { ADVICE_PLACES } from '../../main/contract/index.ts';
import en from './en.json';
import { hasMessage, interfaceLanguages, setInterfaceLanguage, t, translateCode } from './translate.ts';

function leaves(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[path, value]]);
  const found = new Map<string, string>();
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) for (const [at, text] of leaves(inner, path === '' ? key : `${path}.${key}`)) found.set(at, text);
  return found;
}

/** The names between braces, each once: plural forms may leave a number out ("1 question"), so all forms are taken together. */
const places = (text: string): readonly string[] => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''))].sort();

const english = leaves(en);

describe.each(Object.entries(interfaceLanguages))('the interface in %s', (tag, { messages }) => {
  const texts = leaves(messages);

  it('has exactly the keys of English', () => {
    expect(english.size).toBeGreaterThan(300);
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('names no place that English does not name, and leaves none out', () => {
    for (const [key, text] of texts) expect(`${key}: ${places(text).join(' ')}`).toBe(`${key}: ${places(english.get(key) ?? '').join(' ')}`);
  });

  it('leaves no message empty and, beyond English, none untranslated', () => {
    for (const [key, text] of texts) {
      expect(text.trim(), key).not.toBe('');
      if (tag !== 'en' && /[a-z]{4}/i.test((english.get(key) ?? '').replace(/\{\w+\}|Isogloss/g, ''))) expect(text, key).not.toBe(english.get(key));
    }
  });

  it('compiles every message without an error', () => {
    setInterfaceLanguage(tag === 'ar' ? 'ar' : 'en');
    for (const key of english.keys()) {
      if (!hasMessage(key)) throw new Error(`${key} is not known`);
      const values = Object.fromEntries(places(english.get(key) ?? '').map((name) => [name, `<${name}>`]));
      const said = [0, 1, 2, 5, 11, 100].map((count) => t(key, values, count));
      for (const text of said) expect(text, key).not.toMatch(/[{}|]/);
    }
    setInterfaceLanguage('en');
  });
});

describe('advice', () => {
  it('has a sentence for every code in every interface language, with exactly the places that its data fill', () => {
    const codes = Object.entries(ADVICE_PLACES);
    expect(codes.length).toBeGreaterThan(7);
    for (const { name, messages } of Object.values(interfaceLanguages)) {
      const texts = leaves(messages.advice);
      expect(texts.size, name).toBe(codes.length);
      for (const [code, needed] of codes) expect(places(texts.get(code.replaceAll('.', '-')) ?? 'none'), `${name} ${code}`).toEqual([...needed].sort());
    }
  });

  it('of a code that this window does not know is said as the program says it', () => {
    expect(translateCode({ area: 'advice', code: 'texts.invented', fallback: 'Add some.' })).toBe('Add some.');
  });
});

describe('plural forms', () => {
  it('English says one and many apart', () => {
    expect(t('texts.add-pairs', { n: '1' }, 1)).toBe('Add 1 pair');
    expect(t('texts.add-pairs', { n: '1,512' }, 1512)).toBe('Add 1,512 pairs');
  });

  it('Arabic says none, one, two, few and many apart', () => {
    setInterfaceLanguage('ar');
    expect([0, 1, 2, 3, 11].map((n) => t('duration.minutes', { n: String(n) }, n))).toEqual(['نحو 0 دقيقة', 'نحو دقيقة', 'نحو دقيقتين', 'نحو 3 دقائق', 'نحو 11 دقيقة']);
    setInterfaceLanguage('en');
  });
});

describe('codes from outside', () => {
  it('are said in words where the locale knows them', () => {
    expect(translateCode({ area: 'problem', code: 'disk.full', fallback: 'x' })).toContain('The disk is full');
  });

  it('fall back to the message of the program where it does not', () => {
    expect(translateCode({ area: 'problem', code: 'never.heard-of', fallback: 'line 3: expected a tab' })).toBe('line 3: expected a tab');
  });
});
