/** Which verse of one Bible numbering is which of another? Mappings to the original numbering, as Paratext's .vrs files write them. */
import { fault } from './parsing.ts';
import type { FormatFault } from './parsing.ts';

export type VerseId = { readonly book: string; readonly chapter: number; readonly verse: number };

/** `toOriginal` gives the verse in the original (Hebrew, Greek) numbering. */
export type Versification = { readonly name: string; readonly toOriginal: (verse: VerseId) => VerseId };

const REFERENCE = /^([A-Z0-9]{3})\s+(\d{1,3}):(\d{1,3})(?:-(\d{1,3}))?$/;
const MAPPINGS_LIMIT = 50_000;

const keyOf = ({ book, chapter, verse }: VerseId): string => `${book} ${chapter}:${verse}`;

/**
 * Reads the mappings of a .vrs text (`PSA 3:0-8 = PSA 3:1-9`); numbers of verses and missing verses say nothing here. Later
 * lines go before earlier ones and before `base`. A mapping that cannot be read is a fault ('not-a-mapping').
 */
export function parseVersification(text: string, name: string, base: Versification | null = null): { readonly versification: Versification; readonly faults: readonly FormatFault[] } {
  const mapped = new Map<string, VerseId>();
  const faults: FormatFault[] = [];
  text.split(/\r?\n/).forEach((whole, i) => {
    const line = whole.replace(/#(?!!).*/, '').replace(/^#!\s*/, '').trim();
    if (!line.includes('=') || line.startsWith('-')) return;
    const [left, right] = line.split('=').map((side) => REFERENCE.exec(side.trim().toUpperCase()));
    const from = left === null || left === undefined ? null : rangeOf(left);
    const to = right === null || right === undefined ? null : rangeOf(right);
    if (from === null || to === null || from.length !== to.length || mapped.size > MAPPINGS_LIMIT) {
      faults.push(fault('not-a-mapping', { line: i + 1, expected: 'as many verses on both sides, such as "PSA 3:0-8 = PSA 3:1-9"', found: whole }).fault);
      return;
    }
    from.forEach((verse, at) => mapped.set(keyOf(verse), to[at] ?? verse));
  });
  return { versification: { name, toOriginal: (verse) => mapped.get(keyOf(verse)) ?? base?.toOriginal(verse) ?? verse }, faults };
}

function rangeOf(match: RegExpExecArray): VerseId[] | null {
  const [, book = '', chapter = '', first = '', last = first] = match;
  const length = Number(last) - Number(first) + 1;
  return length < 1 ? null : Array.from({ length }, (_, i) => ({ book, chapter: Number(chapter), verse: Number(first) + i }));
}

/** Psalms whose title is verse 1 (or verses 1 and 2) in the original numbering and no verse in the English one. */
const ONE_TITLE_VERSE = '3:8 4:8 5:12 6:10 7:17 8:9 9:20 12:8 18:50 19:14 20:9 21:13 22:31 30:12 31:24 34:22 36:12 38:22 39:13 40:17 41:13 42:11 44:26 45:17 46:11 47:9 48:14 49:20 53:6 55:23 56:13 57:11 58:11 59:17 61:8 62:12 63:11 64:10 65:13 67:7 68:35 69:36 70:5 75:10 76:12 77:20 80:19 81:16 83:18 84:12 85:13 88:18 89:52 92:15 102:28 108:13 140:13 142:7';
const TWO_TITLE_VERSES = '51:19 52:9 54:7 60:12';
const TITLES = [...psalms(ONE_TITLE_VERSE, 1), ...psalms(TWO_TITLE_VERSES, 2)];

function psalms(list: string, titleVerses: number): string[] {
  return list.split(' ').map((one) => {
    const [psalm = '', last = ''] = one.split(':');
    return `PSA ${psalm}:1-${last} = PSA ${psalm}:${1 + titleVerses}-${Number(last) + titleVerses}`;
  });
}

/** Where chapters of English Bibles begin elsewhere than those of the Hebrew Bible. */
const ENGLISH = `
GEN 31:55 = GEN 32:1
GEN 32:1-32 = GEN 32:2-33
EXO 8:1-4 = EXO 7:26-29
EXO 8:5-32 = EXO 8:1-28
EXO 22:1 = EXO 21:37
EXO 22:2-31 = EXO 22:1-30
LEV 6:1-7 = LEV 5:20-26
LEV 6:8-30 = LEV 6:1-23
NUM 16:36-50 = NUM 17:1-15
NUM 17:1-13 = NUM 17:16-28
NUM 29:40 = NUM 30:1
NUM 30:1-16 = NUM 30:2-17
DEU 12:32 = DEU 13:1
DEU 13:1-18 = DEU 13:2-19
DEU 22:30 = DEU 23:1
DEU 23:1-25 = DEU 23:2-26
DEU 29:1 = DEU 28:69
DEU 29:2-29 = DEU 29:1-28
1SA 21:1-15 = 1SA 21:2-16
1SA 23:29 = 1SA 24:1
1SA 24:1-22 = 1SA 24:2-23
2SA 18:33 = 2SA 19:1
2SA 19:1-43 = 2SA 19:2-44
1KI 4:21-34 = 1KI 5:1-14
1KI 5:1-18 = 1KI 5:15-32
1KI 22:44-53 = 1KI 22:45-54
2KI 11:21 = 2KI 12:1
2KI 12:1-21 = 2KI 12:2-22
1CH 6:1-15 = 1CH 5:27-41
1CH 6:16-81 = 1CH 6:1-66
1CH 12:5-40 = 1CH 12:6-41
2CH 2:1 = 2CH 1:18
2CH 2:2-18 = 2CH 2:1-17
2CH 14:1 = 2CH 13:23
2CH 14:2-15 = 2CH 14:1-14
NEH 4:1-6 = NEH 3:33-38
NEH 4:7-23 = NEH 4:1-17
NEH 7:69-73 = NEH 7:68-72
NEH 9:38 = NEH 10:1
NEH 10:1-39 = NEH 10:2-40
JOB 41:1-8 = JOB 40:25-32
JOB 41:9-34 = JOB 41:1-26
${TITLES.join('\n')}
PSA 13:1-5 = PSA 13:2-6
ECC 5:1 = ECC 4:17
ECC 5:2-20 = ECC 5:1-19
SNG 6:13 = SNG 7:1
SNG 7:1-13 = SNG 7:2-14
ISA 9:1 = ISA 8:23
ISA 9:2-21 = ISA 9:1-20
ISA 64:1 = ISA 63:19
ISA 64:2-12 = ISA 64:1-11
JER 9:1 = JER 8:23
JER 9:2-26 = JER 9:1-25
EZK 20:45-49 = EZK 21:1-5
EZK 21:1-32 = EZK 21:6-37
DAN 4:1-3 = DAN 3:31-33
DAN 4:4-37 = DAN 4:1-34
DAN 5:31 = DAN 6:1
DAN 6:1-28 = DAN 6:2-29
HOS 1:10-11 = HOS 2:1-2
HOS 2:1-23 = HOS 2:3-25
HOS 11:12 = HOS 12:1
HOS 12:1-14 = HOS 12:2-15
HOS 13:16 = HOS 14:1
HOS 14:1-9 = HOS 14:2-10
JOL 2:28-32 = JOL 3:1-5
JOL 3:1-21 = JOL 4:1-21
JON 1:17 = JON 2:1
JON 2:1-10 = JON 2:2-11
MIC 5:1 = MIC 4:14
MIC 5:2-15 = MIC 5:1-14
NAM 1:15 = NAM 2:1
NAM 2:1-13 = NAM 2:2-14
ZEC 1:18-21 = ZEC 2:1-4
ZEC 2:1-13 = ZEC 2:5-17
MAL 4:1-6 = MAL 3:19-24`;

export const originalVersification: Versification = { name: 'original', toOriginal: (verse) => verse };
export const englishVersification: Versification = parseVersification(ENGLISH, 'English').versification;

/** Paratext's numbers of versifications; null: none is built in, so that verses pair by their numbers alone. */
export function versificationOf(number: number): Versification | null {
  return number === 1 ? originalVersification : number === 4 ? englishVersification : null;
}
