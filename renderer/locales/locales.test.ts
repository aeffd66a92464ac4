/** Are the interface languages complete, and does every message keep its places? */
import { describe, expect, it } from 'vitest';
import { ADVICE_PLACES } from '../../main/contract/index.ts';
import en from './en.json';
import { messagesOf } from './test-languages.ts';
import { hasMessage, interfaceLanguages, pluralCategories, setInterfaceLanguage, t, translateCode, type InterfaceLanguage } from './translate.ts';

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
const formsOf = (text: string): readonly string[] => text.split(' | ');
const isLanguage = (tag: string): tag is InterfaceLanguage => Object.hasOwn(interfaceLanguages, tag);

/** Messages whose words the language spells as English does; every other message that equals the English one was forgotten. */
const SPELLED_ALIKE: Readonly<Record<string, readonly string[]>> = {
  es: ['unit.bytes'],
  fr: ['about.version', 'brought.licence', 'share.column-licence', 'search.document', 'search.page', 'result.column-queries', 'judge.queries', 'folder.place-documents', 'unit.documents', 'unit.chunks', 'unit.queries'],
};
/** Languages that tell one from many in every noun and verb. */
const ROMANCE: readonly string[] = ['es', 'fr'];
/** French words that have no other form for many. */
const SAME_IN_BOTH: ReadonlySet<string> = new Set(['fr unit.steps', 'fr filter.title-chosen']);

describe.each(Object.entries(messagesOf))('the interface in %s', (tag, messages) => {
  const texts = leaves(messages);

  it('has exactly the keys of English', () => {
    expect(english.size).toBeGreaterThan(300);
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('names no place that English does not name, and leaves none out', () => {
    for (const [key, text] of texts) expect(`${key}: ${places(text).join(' ')}`).toBe(`${key}: ${places(english.get(key) ?? '').join(' ')}`);
  });

  it('leaves no message empty', () => {
    for (const [key, text] of texts) expect(text.trim(), key).not.toBe('');
  });

  it.skipIf(tag === 'en')('leaves nothing in English: no message is the English one, none has its small words', () => {
    const spelledAlike = new Set(SPELLED_ALIKE[tag]);
    for (const [key, text] of texts) {
      if (/[a-z]{4}/i.test((english.get(key) ?? '').replace(/\{\w+\}|Isogloss/g, ''))) expect(`${key}: ${String(text === english.get(key))}`).toBe(`${key}: ${String(spelledAlike.has(key))}`);
      expect(text.replace(/\{\w+\}/g, ''), key).not.toMatch(/(?<!\p{L})(?:the|and|of|with|this|your|you|was|were|from|which|that|are|been|not)(?!\p{L})/iu);
    }
  });

  it('has as many forms as the language counts with, or one where one wording serves; a first one for none where English has it', () => {
    const most = pluralCategories(tag).length + (pluralCategories(tag).includes('zero') ? 0 : 1);
    for (const [key, text] of texts) {
      const forms = formsOf(text).length;
      const englishForms = formsOf(english.get(key) ?? '').length;
      if (englishForms === 1) expect(forms, key).toBe(1);
      expect(forms, key).toBeLessThanOrEqual(most);
      if (englishForms > 2) expect(forms, `${key}: a form for none`).toBeGreaterThan(1);
      if (englishForms > 1 && ROMANCE.includes(tag) && !SAME_IN_BOTH.has(`${tag} ${key}`)) expect(forms, key).toBeGreaterThan(1);
    }
  });

  it('says the number itself in every form that the language gives to more than one number', () => {
    setInterfaceLanguage(isLanguage(tag) ? tag : 'en');
    for (const [key, text] of texts) {
      const englishText = english.get(key) ?? '';
      if (formsOf(englishText).length < 2 || !englishText.includes('{n}') || !hasMessage(key)) continue;
      for (const count of [0, 2, 3, 7, 11, 21, 100, 101, 1_000_000]) {
        if (count === 0 && formsOf(text).length > 2) continue; // a form for none needs no number
        if (tag === 'ar' && count <= 2) continue; // the dual is the number; none has a form of its own
        const values = Object.fromEntries(places(englishText).map((name) => [name, name === 'n' ? `<${String(count)}>` : name]));
        expect(t(key, values, count), `${key}, ${String(count)}`).toContain(`<${String(count)}>`);
      }
    }
    setInterfaceLanguage('en');
  });

  it('compiles every message without an error', () => {
    setInterfaceLanguage(isLanguage(tag) ? tag : 'en');
    for (const key of english.keys()) {
      if (!hasMessage(key)) throw new Error(`${key} is not known`);
      const values = Object.fromEntries(places(english.get(key) ?? '').map((name) => [name, `<${name}>`]));
      const said = [0, 1, 2, 5, 11, 100].map((count) => t(key, values, count));
      for (const text of said) expect(text, key).not.toMatch(/[{}|]/);
    }
    setInterfaceLanguage('en');
  });
});

describe('the messages', () => {
  it('are all used: a key stands in a view, or fits one that is put together there; those of codes come from the program', () => {
    const sources = Object.entries(import.meta.glob<string>('../**/*.{ts,vue}', { query: '?raw', import: 'default', eager: true })).filter(([path]) => !path.endsWith('.test.ts')).map(([, text]) => text).join('\n');
    const literal = new Set([...sources.matchAll(/'([a-z]+\.[\w-]+)'/g)].map(([, key]) => key ?? ''));
    const puzzled = [...sources.matchAll(/`([a-z]+\.(?:[\w-]|\$\{[^}]+\})+)`/g)].map(([, key]) => new RegExp(`^${(key ?? '').replaceAll('.', '\\.').replace(/\$\{[^}]+\}/g, '[\\w-]+')}$`));
    expect(literal.size).toBeGreaterThan(150);
    expect(puzzled.length).toBeGreaterThan(20);
    const ofCodes = ['problem.', 'phase.', 'unit.', 'advice.', 'choice.', 'happened.'];
    expect([...english.keys()].filter((key) => !literal.has(key) && !ofCodes.some((area) => key.startsWith(area)) && !puzzled.some((fits) => fits.test(key)))).toEqual([]);
  });
});

describe('advice', () => {
  it('has a sentence for every code in every interface language, with exactly the places that its data fill', () => {
    const codes = Object.entries(ADVICE_PLACES);
    expect(codes.length).toBeGreaterThan(7);
    for (const [name, messages] of Object.entries(messagesOf)) {
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

  it('French says none like one, Spanish like many, and both say "of" after a million', () => {
    const said = (language: InterfaceLanguage, n: number): string => {
      setInterfaceLanguage(language);
      return t('texts.count-pairs', { n: String(n) }, n);
    };
    expect([0, 1, 2, 1_000_000].map((n) => said('fr', n))).toEqual(['0 paire', '1 paire', '2 paires', '1000000 de paires']);
    expect([0, 1, 2, 1_000_000].map((n) => said('es', n))).toEqual(['0 pares', '1 par', '2 pares', '1000000 de pares']);
    expect([0, 1, 2].map((n) => said('sw', n))).toEqual(['jozi 0', 'jozi 1', 'jozi 2']);
    setInterfaceLanguage('en');
  });

  it('a form for none is said for none, in languages without such a category', () => {
    for (const [language, none, two] of [['en', 'Nothing running', '2 running'], ['es', 'Nada en marcha', '2 en marcha'], ['fr', 'Rien en cours', '2 en cours'], ['sw', 'Hakuna kinachoendelea', 'Zinazoendelea: 2']] as const) {
      setInterfaceLanguage(language);
      expect([0, 2].map((n) => t('activity.button', { n: String(n) }, n)), language).toEqual([none, two]);
    }
    setInterfaceLanguage('en');
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
