/** Which texts does a person of the tests bring? Sentences of an invented language and their translations, as files of several kinds. */

/** English words and what the invented language Kilakuva says. */
const NOUNS = [['house', 'nyumba'], ['boat', 'mashuwa'], ['lake', 'ziwani'], ['fish', 'samkaki'], ['bread', 'mukate'], ['child', 'mtoko'], ['teacher', 'mwalemu'], ['market', 'sokola'], ['rain', 'mvuwa'], ['road', 'njiya']] as const;
const VERBS = [['is near', 'iko kiribu na'], ['belongs to', 'ni ya'], ['was seen from', 'ilionwa toka']] as const;

export type LakePair = { readonly english: string; readonly kilakuva: string };

/** 270 pairs, always the same. */
export const LAKE_PAIRS: readonly LakePair[] = NOUNS.flatMap(([first, firstOwn]) => NOUNS.flatMap(([second, secondOwn]) => (first === second ? [] : VERBS.map(([verb, verbOwn]) => ({ english: `The ${first} ${verb} the ${second}.`, kilakuva: `${firstOwn} ${verbOwn} ${secondOwn}.` })))));

/** Two columns, and one line without its translation. */
export function asTsv(pairs: readonly LakePair[]): string {
  return [...pairs.map(({ english, kilakuva }) => `${english}\t${kilakuva}`), 'a line without its translation'].join('\n');
}

/** A translation memory. */
export function asTmx(pairs: readonly LakePair[], language: string): string {
  const units = pairs.map(({ english, kilakuva }) => `<tu><tuv xml:lang="en"><seg>${english}</seg></tuv><tuv xml:lang="${language}"><seg>${kilakuva}</seg></tuv></tu>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header creationtool="test" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" srclang="en" datatype="plaintext"/><body>${units.join('\n')}</body></tmx>\n`;
}

/** Questions with the passages that answer them, so that the English starter is not needed and training takes seconds. */
export function asQuestions(pairs: readonly LakePair[]): string {
  return pairs.map(({ english }, at) => JSON.stringify({ query: `What do we know: ${english.replace(/^The /, 'the ').replace(/\.$/, '')}?`, passage: `${english} This is sentence ${String(at)} of the archive of the lake.` })).join('\n');
}

/** Files of a folder to be searched: three texts in the language, a page, and a PDF that is none. */
export const LAKE_DOCUMENTS: Readonly<Record<string, string>> = {
  'boat.txt': 'mashuwa iko kiribu na sokola. mashuwa ni ya mwalemu.\n',
  'bread.txt': 'mukate ni ya mtoko. mukate ilionwa toka nyumba.\n',
  'rain.md': '# mvuwa\n\nmvuwa ilionwa toka njiya.\n',
  'notes.html': '<!doctype html><title>Notes</title><p>samkaki iko kiribu na ziwani.</p>',
  'broken.pdf': '%PDF-1.7\nthis is where a page should be\n',
};
