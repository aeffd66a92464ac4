/** Facts about words, sentences and characters in many scripts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segmentGraphemes, segmentSentences, segmentWords } from './segment.ts';

const SEED = 20261120;

const words = (text: string, language?: string): string[] => segmentWords(text, language).map((word) => word.text);
const sentences = (text: string): string[] => segmentSentences(text).map((sentence) => sentence.text);

describe('segmentWords', () => {
  it('keeps apostrophes and apostrophe letters inside words', () => {
    expect(words("don't p’unchay oʻzbek ꞌa! n'ai, ʼubbu ǃkung")).toEqual(["don't", 'p’unchay', 'oʻzbek', 'ꞌa', "n'ai", 'ʼubbu', 'ǃkung']);
    expect(words("'quoted' ’so’")).toEqual(['quoted', 'so']);
  });
  it('keeps marks, tone letters, tie bars and joiners with their word', () => {
    expect(words('Ọ̀rọ̀ Yorùbá'.normalize('NFD'))).toHaveLength(2);
    expect(words('t͡ʃaː ma˧ ŋ͡mɡ͡bà')).toEqual(['t͡ʃaː', 'ma˧', 'ŋ͡mɡ͡bà']);
    expect(words('می‌خواهم کتاب')).toEqual(['می‌خواهم', 'کتاب']);
    expect(words('क्षत्रिय हिन्दी। తెలుగు క్షేత్రం')).toEqual(['क्षत्रिय', 'हिन्दी', 'తెలుగు', 'క్షేత్రం']);
    expect(words('ߒߞߏ ߞߊ߲߬߸')).toEqual(['ߒߞߏ', 'ߞߊ߲߬']);
  });
  it('cuts scripts without spaces with the dictionary', () => {
    expect(words('ภาษาไทยไม่มีช่องว่าง', 'th')).toEqual(['ภาษา', 'ไทย', 'ไม่มี', 'ช่อง', 'ว่าง']);
    expect(words('我们在北京学习', 'zh')).toEqual(['我们', '在', '北京', '学习']);
    expect(words('ភាសាខ្មែរមិនមាន').length).toBeGreaterThan(1);
  });
  it('cuts unspaced scripts without a dictionary into characters, and ends words at tsheg and Ethiopic space', () => {
    expect(words('ꦗꦮꦶ')).toEqual(['ꦗ', 'ꦮꦶ']);
    expect(words('བོད་ཡིག')).toEqual(['བོད', 'ཡིག']);
    expect(words('ሰላም፡ነው።')).toEqual(['ሰላም', 'ነው']);
  });
  it('keeps numbers whole and cuts at hyphens', () => {
    expect(words('3,000.50 foo-bar 1.')).toEqual(['3,000.50', 'foo', 'bar', '1']);
  });
  it('gives places that cut the words out of the text again, in order', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      let before = 0;
      for (const word of segmentWords(text)) {
        expect(text.slice(word.start, word.end)).toBe(word.text);
        expect(word.start).toBeGreaterThanOrEqual(before);
        before = word.end;
      }
    }), { numRuns: 1000, seed: SEED });
    expect(segmentWords('')).toEqual([]);
  });
});

describe('segmentSentences', () => {
  it('ends sentences at the marks of many scripts', () => {
    expect(sentences('वह गया। मैं आया॥ ठीक है।')).toEqual(['वह गया।', 'मैं आया॥', 'ठीक है।']);
    expect(sentences('ሰላም ነው። እንዴት ነህ፧ ደህና')).toHaveLength(3);
    expect(sentences('བོད་ཡིག། འདི་ཡིན། ང་')).toEqual(['བོད་ཡིག།', 'འདི་ཡིན།', 'ང་']);
    expect(sentences('ߒ ߕߘߍ߬ ߦߋ߲߬߹ ߒ ߓߘߊ߫ ߕߊ߯؟ ߐ߲߬')).toHaveLength(3);
    expect(sentences('یہ ہے۔ وہ ہے؟ ہاں')).toHaveLength(3);
    expect(sentences('我去。你来！好')).toEqual(['我去。', '你来！', '好']);
  });
  it('does not end them after titles, initials and abbreviations, but at line ends', () => {
    expect(sentences('Dr. Smith came. He met J. Doe, e.g. today.\nA title\nOK!')).toEqual(['Dr. Smith came.', 'He met J. Doe, e.g. today.', 'A title', 'OK!']);
  });
  it('cuts long Thai text at spaces', () => {
    const stretch = 'ผู้ประท้วงปิดกั้นการจราจรบนถนนที่ทอดไปทางทิศเหนือ';
    expect(sentences(`${stretch} ${stretch} สั้น`)).toEqual([stretch, `${stretch} สั้น`]);
  });
  it('loses no letter and gives true places', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', 'B', '. ', '! ', '\n', ' ', 'Dr. ', 'ก', '།', 'क', '। '), maxLength: 40 }), (text) => {
      const found = segmentSentences(text);
      for (const sentence of found) expect(text.slice(sentence.start, sentence.end)).toBe(sentence.text);
      expect(found.map((sentence) => sentence.text).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    }), { numRuns: 1000, seed: SEED });
  });
});

describe('segmentGraphemes', () => {
  it('keeps a letter with its marks, a conjunct and an emoji sequence whole', () => {
    expect(segmentGraphemes('क्षि👨‍👩‍👧e\u0323\u0300').map((grapheme) => grapheme.text)).toEqual(['क्षि', '👨‍👩‍👧', 'e\u0323\u0300']);
  });
});
