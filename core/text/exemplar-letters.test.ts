/** Are the letters of a language those that its people write with? */
import { describe, expect, it } from 'vitest';
import { exemplarLetters } from './exemplar-letters.ts';
import { isLanguageTag, parseLanguageTag } from './language.ts';
import lettersJson from './exemplar-letters.json' with { type: 'json' };

describe('exemplar letters', () => {
  it('are those beyond a to z, with marks where a letter has them', () => {
    expect(exemplarLetters('ha')).toEqual(['ɓ', 'ɗ', 'ƙ', 'ƴ', 'ʼ']);
    expect(exemplarLetters('es')).toEqual(['á', 'é', 'í', 'ñ', 'ó', 'ú', 'ü']);
    expect(exemplarLetters('yo')).toEqual(expect.arrayContaining(['ẹ', 'ẹ́', 'ṣ']));
    expect(exemplarLetters('ar')).toEqual(expect.arrayContaining(['ا', 'ي', 'ُ']));
  });

  it('follow the script of the tag', () => {
    expect(exemplarLetters('sr-Latn')).toContain('đ');
    expect(exemplarLetters('sr')).toContain('ђ');
    expect(exemplarLetters('sr-Latn')).not.toContain('ђ');
  });

  it('are none where CLDR knows none, or where plain letters suffice', () => {
    for (const tag of ['x-kisukuma', 'sw', 'zh', 'en']) expect(exemplarLetters(tag), tag).toEqual([]);
  });

  it('stand under canonical tags, each once, composed and small', () => {
    const rows = Object.entries(lettersJson);
    expect(rows.length).toBeGreaterThan(250);
    for (const [name, text] of rows) {
      const [language = ''] = name.split('-');
      expect(isLanguageTag(language) && parseLanguageTag(language).language, name).toBe(language);
      const letters = text.split(' ');
      expect(new Set(letters).size, name).toBe(letters.length);
      expect(text, name).toBe(text.normalize('NFC').toLowerCase());
      expect(letters.some((letter) => /^[a-z]+$/.test(letter)), name).toBe(false);
    }
  });
});
