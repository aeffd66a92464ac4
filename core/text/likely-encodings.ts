/** In which of the older encodings may these bytes be, which are no UTF-8? */
import { readBytes } from '../base/text-files.ts';
import type { FileArea } from '../base/text-files.ts';

/** Encodings of the field's older files: Western, Central European, Cyrillic, Greek, Turkish, Hebrew, Arabic, Vietnamese, Thai, and the old Macintosh. */
const CANDIDATES = ['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256', 'windows-1258', 'windows-874', 'macintosh', 'gbk', 'shift_jis', 'euc-kr'];
const OFFERED = 4;
const LAST_ASCII = 0x7f;

/** A letter of another script in a word of plain Latin letters. */
const MIXED_WORD = /(?<=[A-Za-z])(?!\p{Script=Latin})\p{L}|(?!\p{Script=Latin})\p{L}(?=[A-Za-z])/gu;
/** Letters with accents only, one after another: no Latin writing has many. */
const LATIN_RUN = /(?:(?![A-Za-z])\p{Script=Latin}){4,}/gu;

/**
 * Labels for TextDecoder in which the bytes read as letters, the likeliest first, at most four; each with how the first sample then reads.
 * A fitting encoding turns the high bytes into letters, mostly of one script beside plain Latin, and into lower case more than upper.
 * @param samples stretches of the file around bytes that are no UTF-8.
 */
export function likelyEncodings(samples: readonly Uint8Array[]): readonly { readonly label: string; readonly sample: string }[] {
  const scored = CANDIDATES.map((label) => {
    const texts = samples.map((bytes) => new TextDecoder(label).decode(bytes));
    const high = texts.join('').replace(/[\x00-\x7F]/g, '');
    const letters = high.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
    const wrong = high.match(/[\u0080-\u009F\uFFFD\p{So}\p{Sc}]/gu)?.length ?? 0;
    const inWords = texts.join(' ').match(/(?<=\p{L})(?=[^\x00-\x7F])\p{Ll}|(?=[^\x00-\x7F])\p{Ll}(?=\p{L})|(?=[^\x00-\x7F])\p{Lo}/gu)?.length ?? 0;
    const strange = texts.join(' ').match(MIXED_WORD)?.length ?? 0;
    const runs = texts.join(' ').match(LATIN_RUN)?.join('').length ?? 0;
    return { label, sample: texts[0] ?? '', score: high.length === 0 ? 0 : (letters + inWords - 4 * wrong - 4 * strange - 2 * runs) / high.length };
  });
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(0, OFFERED).map(({ label, sample }) => ({ label, sample: sample.replace(/[\p{Cc}\uFFFD]/gu, ' ').trim() }));
}

const AROUND = 40;
const SAMPLES = 20;

/** The first twenty stretches of a file around bytes beyond ASCII. @throws what readBytes throws. */
export async function samplesOf(path: string, signal: AbortSignal, area: FileArea): Promise<readonly Uint8Array[]> {
  const samples: Uint8Array[] = [];
  for await (const bytes of readBytes(path, signal, { area })) {
    for (let at = 0; at < bytes.length && samples.length < SAMPLES; at += 1) {
      if ((bytes[at] ?? 0) <= LAST_ASCII) continue;
      samples.push(Uint8Array.from(bytes.subarray(Math.max(0, at - AROUND), at + AROUND)));
      at += 2 * AROUND;
    }
    if (samples.length >= SAMPLES) break;
  }
  return samples;
}

/**
 * The encoding of a file that is no UTF-8, where it shows: in Latin writing, whose plain letters stand among the others. Other scripts
 * have too many encodings that all read as letters: null. @throws what readBytes throws.
 */
export async function likelyEncodingOf(path: string, signal: AbortSignal, area: FileArea): Promise<string | null> {
  const samples = await samplesOf(path, signal, area);
  const label = likelyEncodings(samples)[0]?.label ?? 'windows-1252';
  const letters = samples.map((bytes) => new TextDecoder(label).decode(bytes)).join(' ').match(/(?![A-Za-z])\p{L}/gu) ?? [];
  return letters.length > 0 && letters.every((letter) => /\p{Script=Latin}|\p{Lm}/u.test(letter)) ? label : null;
}

/** Does a text decoded as UTF-8 with losses show that it never was UTF-8? Then every character beyond ASCII is a replacement. */
export const wasNeverUtf8 = (text: string): boolean => text.includes('\uFFFD') && !/[^\x00-\x7F\uFFFD]/.test(text);
