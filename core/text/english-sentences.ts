/** Where does an English text end its sentences, as Punkt's English model sees it? For token counts that shall agree with NLTK's. */

/** Words whose point is a part of them: titles, months and days, states, forms of companies, others. A word of single letters with points between them is one by rule. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  [
    'adm capt col dr gen gov hon lt maj messrs mr mrs ms prof rep reps rev sen sgt sr jr st',
    'jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun',
    'ala ariz ark calif colo conn del fla ga ill ind kan ky mass md mich minn miss mo neb nev okla ore pa tenn tex va vt wash wis',
    'bros cie co corp inc ltd vs ave ft mg ok yr ph.d',
  ].flatMap((line) => line.split(' ')),
);
const LETTERS_WITH_POINTS = /^\p{L}(?:\.\p{L})*$/u;

/** Words that begin a sentence when they stand with a capital behind an abbreviation, since inside one they have none. */
const STARTERS: ReadonlySet<string> = new Set(
  [
    'a after all also although an and another any as at because before both but by despite during each even for from',
    'he her his how however i if in indeed instead into it its later many meanwhile moreover most nevertheless no nor not now',
    'of on once one only or other our over she similarly since so some such than that the their then there these they this those though through thus to',
    'under until upon was we were what when where which while who with yet you',
  ].flatMap((line) => line.split(' ')),
);

/** A mark that can end a sentence, before other punctuation or before white space and a further word. */
const END = /[.?!](?=[)"';}\]*:@({[!?]|\s+\S)/gu;
/** Closing marks at the beginning of what follows belong to what they close. */
const CLOSING = /^["')\]}]+?(?:\s+|(?=--)|$)/u;
/** Code units around a mark that are looked at. */
const NEAR = 64;
const NUMBER = /^-?[.,]?\d[\d.,-]*$/u;

/**
 * The sentences in order, without white space around them; nothing else is left out. A point ends a sentence unless the word is an abbreviation
 * or an initial (and the next is no word that only a beginning writes large), or a number before a small letter.
 * @see Kiss and Strunk 2006, "Unsupervised multilingual sentence boundary detection": the decisions of their section 4; their learned lists are
 *   replaced by the ones above.
 */
export function englishSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  const close = (end: number): void => {
    const sentence = text.slice(start, end).trim();
    if (sentence !== '') sentences.push(sentence);
    start = end;
  };
  for (const { index } of text.matchAll(END)) {
    const end = index + 1;
    if (end <= start || !isEnd(text, start, end)) continue;
    const after = text.slice(end, end + NEAR);
    const gap = after.length - after.trimStart().length;
    const closing = CLOSING.exec(after.trimStart())?.[0].length ?? 0;
    close(closing === 0 ? end : end + gap + closing);
  }
  close(text.length);
  return sentences;
}

/** Whether the mark before `end` ends the sentence that begins at `start`. */
function isEnd(text: string, start: number, end: number): boolean {
  if (text.charAt(end - 1) !== '.') return true;
  const word = (/[^\s("'[{<]*$/u.exec(text.slice(Math.max(start, end - 1 - NEAR), end - 1))?.[0] ?? '').toLowerCase();
  const next = /^["'([{]*([^\s]*)/u.exec(text.slice(end, end + NEAR).trimStart())?.[1] ?? '';
  const plain = next.toLowerCase().replace(/[^\p{L}]+$/u, '');
  const isLarge = /^\p{Lu}/u.test(next);
  if (text.charAt(end - 2) === '.') return isLarge && STARTERS.has(plain); // an ellipsis
  const last = word.slice(word.lastIndexOf('-') + 1);
  if (ABBREVIATIONS.has(last) || LETTERS_WITH_POINTS.test(last)) return isLarge && STARTERS.has(plain);
  return !(NUMBER.test(word) && /^\p{Ll}/u.test(next));
}
