/** Which blocks does a plain text have? Paragraphs between blank lines; line breaks inside them stay. */
import { makeBlock } from './parsed-document.ts';
import type { Block, DocumentContent } from './parsed-document.ts';

/** Paragraphs of a text, each with the line it begins on. The text has LF line ends. */
export function parsePlainText(text: string): DocumentContent {
  const blocks: Block[] = [];
  let start = 1;
  let paragraph: string[] = [];
  const close = (): void => {
    blocks.push(...makeBlock('paragraph', paragraph.join('\n'), { line: start, headings: [] }));
    paragraph = [];
  };
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') close();
    else {
      if (paragraph.length === 0) start = i + 1;
      paragraph.push(line);
    }
  });
  close();
  return { blocks };
}
