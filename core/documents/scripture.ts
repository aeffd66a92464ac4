/** Which blocks does a USFM book have? One for each verse, with its reference; headings above them. */
import { parseAllLines } from '../formats/parsing.ts';
import { usfmParser } from '../formats/usfm.ts';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import type { DocumentContent } from './parsed-document.ts';

const BOOK_LINE = /^\uFEFF?\s*\\id\s+[0-9A-Za-z]{3}\b/;
const TITLE = /^(?:mt|imt|mte|imte)/;

/** Does a text begin as a USFM book does? */
export const looksLikeUsfm = (text: string): boolean => BOOK_LINE.test(text);

export function parseUsfm(text: string, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  const titles: string[] = [];
  const content = collectWithin(collector, () => {
    for (const one of parseAllLines(text, usfmParser())) {
      if (one.kind === 'fault') collector.faults([one.fault]);
      else if (one.part.kind === 'verse') collector.add('segment', one.part.text, { line: one.part.line, verse: `${one.part.book} ${one.part.chapter}:${one.part.verse}` });
      else if (one.part.kind === 'heading') {
        const isTitle = TITLE.test(one.part.marker);
        if (isTitle) titles.push(one.part.text);
        collector.heading(isTitle ? 1 : 2, one.part.text, { line: one.part.line });
      } else collector.add('paragraph', one.part.text, { line: one.part.line, ...(one.part.book === '' ? {} : { verse: `${one.part.book} ${one.part.chapter}` }) });
    }
  });
  const title = titles.join(' ').trim();
  return { ...content, ...(title === '' ? {} : { title }) };
}
