/** Which document formats are there? One row per format; adding one is a file and a row. */
import { htmlEncoding, parseHtml } from './html.ts';
import { parseMarkdown } from './markdown.ts';
import { parsePlainText } from './plain-text.ts';
import type { DocumentContent } from './parsed-document.ts';
import { parseCsv, parseTsv } from './tables.ts';

export type DocumentFormat = {
  /** Endings of file names, lower case, with the dot. */
  readonly extensions: readonly string[];
  /** The encoding the content declares, asked when there is no byte order mark. */
  readonly declaredEncoding?: (sample: Uint8Array) => string | undefined;
  /** From decoded text with LF line ends to blocks. Never throws on bad content: what is wrong goes to `problems`. */
  readonly parse: (text: string, path: string) => DocumentContent;
};

export type DocumentFormatName = 'text' | 'markdown' | 'html' | 'csv' | 'tsv';

export const documentFormats: { readonly [Name in DocumentFormatName]: DocumentFormat } = {
  text: { extensions: ['.txt', '.text'], parse: parsePlainText },
  markdown: { extensions: ['.md', '.markdown'], parse: parseMarkdown },
  html: { extensions: ['.html', '.htm', '.xhtml'], declaredEncoding: htmlEncoding, parse: parseHtml },
  csv: { extensions: ['.csv'], parse: parseCsv },
  tsv: { extensions: ['.tsv', '.tab'], parse: parseTsv },
};

/** The format of a file name, by its ending (also before ".gz"); null for one Isogloss does not read. */
export function formatOfName(name: string): DocumentFormatName | null {
  const ending = /(\.[^./\\]+)$/.exec(name.toLowerCase().replace(/\.gz$/, ''))?.[1] ?? '';
  return Object.keys(documentFormats).filter(isDocumentFormatName).find((format) => documentFormats[format].extensions.includes(ending)) ?? null;
}

function isDocumentFormatName(name: string): name is DocumentFormatName {
  return Object.hasOwn(documentFormats, name);
}

/** All endings Isogloss reads, for dialogs and messages. */
export const documentExtensions: readonly string[] = Object.values(documentFormats).flatMap(({ extensions }) => extensions);
