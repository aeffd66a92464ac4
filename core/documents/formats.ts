/** Which document formats are there? One row per format; adding one is a file and a row. */
import { InputError } from '../base/errors.ts';
import { printable } from '../base/text-files.ts';
import { xmlEncoding } from '../formats/xml.ts';
import { parseLift } from './dictionary.ts';
import { readDocx } from './docx.ts';
import { parseElan } from './elan.ts';
import { readEpub } from './epub.ts';
import { htmlEncoding, parseHtml } from './html.ts';
import { parseConllu, parseFlextext } from './interlinear.ts';
import { parseMarkdown } from './markdown.ts';
import { readOpenDocument } from './open-document.ts';
import type { DocumentContent } from './parsed-document.ts';
import { parsePlainText } from './plain-text.ts';
import { parsePraat, readBinaryPraat } from './praat.ts';
import { readPptx } from './pptx.ts';
import { readRtf } from './rtf.ts';
import { parseUsfm } from './scripture.ts';
import { parseCsv, parseTsv } from './tables.ts';
import { parseToolbox } from './toolbox.ts';
import { firstElement, HEAD_CHARACTERS } from './sniff-text.ts';
import { parseTmx, parseXliff } from './translation-memory.ts';
import { readXlsx } from './xlsx.ts';

export type DocumentFormat = {
  /** Endings of file names, lower case, with the dot; [] for one that is known by its content alone. */
  readonly extensions: readonly string[];
  readonly reader: TextReader | FileReader;
  /** True for plain lines, which cannot go wrong; all others are read in a process of their own (reader-process.ts). */
  readonly isPlain: boolean;
};

/** From decoded text with LF line ends to blocks. What is wrong inside goes to `problems`; only a file that is something else throws. */
type TextReader = {
  readonly kind: 'text';
  /** The encoding the content declares, asked when there is no byte order mark. */
  readonly declaredEncoding?: (sample: Uint8Array) => string | undefined;
  readonly parse: (text: string, path: string) => DocumentContent;
};

/** Reads the file itself (archives, PDF). @throws InputError for a file it cannot read. */
type FileReader = { readonly kind: 'file'; readonly read: (path: string, signal: AbortSignal) => Promise<DocumentContent> };

const plain = (extensions: readonly string[], parse: TextReader['parse']): DocumentFormat => ({ extensions, reader: { kind: 'text', parse }, isPlain: true });
const text = (extensions: readonly string[], parse: TextReader['parse']): DocumentFormat => ({ extensions, reader: { kind: 'text', parse }, isPlain: false });
const xml = (extensions: readonly string[], parse: TextReader['parse']): DocumentFormat => ({ extensions, reader: { kind: 'text', parse, declaredEncoding: xmlEncoding }, isPlain: false });
const file = (extensions: readonly string[], read: FileReader['read']): DocumentFormat => ({ extensions, reader: { kind: 'file', read }, isPlain: false });

export type DocumentFormatName =
  | 'text' | 'markdown' | 'csv' | 'tsv' | 'html' | 'pdf' | 'docx' | 'odt' | 'ods' | 'odp' | 'rtf' | 'epub' | 'xlsx' | 'pptx' | 'old-office'
  | 'eaf' | 'flextext' | 'lift' | 'toolbox' | 'textgrid' | 'textgrid-binary' | 'conllu' | 'usfm' | 'tmx' | 'xliff' | 'xml';

export const documentFormats: { readonly [Name in DocumentFormatName]: DocumentFormat } = {
  text: plain(['.txt', '.text'], parsePlainText),
  markdown: plain(['.md', '.markdown'], parseMarkdown),
  csv: plain(['.csv'], parseCsv),
  tsv: plain(['.tsv', '.tab'], parseTsv),
  html: { extensions: ['.html', '.htm', '.xhtml'], reader: { kind: 'text', parse: parseHtml, declaredEncoding: htmlEncoding }, isPlain: false },
  pdf: file(['.pdf'], async (path, signal) => (await import('./pdf.ts')).readPdf(path, signal)), // the library is big: only when it is needed
  docx: file(['.docx', '.docm', '.dotx'], readDocx),
  odt: file(['.odt', '.ott'], (path, signal) => readOpenDocument(path, signal, 'odt')),
  ods: file(['.ods'], (path, signal) => readOpenDocument(path, signal, 'ods')),
  odp: file(['.odp'], (path, signal) => readOpenDocument(path, signal, 'odp')),
  rtf: file(['.rtf'], readRtf),
  epub: file(['.epub'], readEpub),
  xlsx: file(['.xlsx', '.xlsm'], readXlsx),
  pptx: file(['.pptx', '.pptm', '.ppsx'], readPptx),
  'old-office': file(['.doc', '.xls', '.ppt'], refuseOldOffice), // many are RTF, HTML or plain text inside; those are read
  eaf: xml(['.eaf'], parseElan),
  flextext: xml(['.flextext'], parseFlextext),
  lift: xml(['.lift'], parseLift),
  toolbox: text(['.sfm', '.db', '.dic', '.mdf', '.tbt'], parseToolbox),
  textgrid: text(['.textgrid'], parsePraat),
  'textgrid-binary': file([], readBinaryPraat),
  conllu: text(['.conllu', '.conll'], parseConllu),
  usfm: text(['.usfm', '.ptx'], parseUsfm),
  tmx: xml(['.tmx'], parseTmx),
  xliff: xml(['.xliff', '.xlf', '.sdlxliff', '.mqxliff', '.mxliff'], parseXliff),
  xml: xml(['.xml'], refuseXml),
};

/** Word, Excel and PowerPoint before 2007, and newer ones with a password, lie in the same kind of container. */
function refuseOldOffice(path: string): never {
  throw new InputError('documents.old-office', `${path}: expected a document Isogloss reads, found an old Office document (.doc, .xls, .ppt) or one with a password. Save it again as .docx, .xlsx or .pptx, without a password.`, { data: { path } });
}

/** XML of a kind that no row knows. The kinds that are known were told by their first element before. */
function refuseXml(content: string, path: string): never {
  const root = firstElement(content);
  const expected = 'XML of a known kind (ELAN, FLEx, LIFT, TMX, XLIFF, XHTML)';
  if (/<!DOCTYPE/i.test(content.slice(0, HEAD_CHARACTERS))) throw new InputError('documents.xml-entities', `${path}: expected XML without definitions of its own, found a DOCTYPE. It can blow a file up or reach for other files; remove it.`, { data: { path } });
  throw new InputError('documents.unknown-xml', `${path}: expected ${expected}, found ${root === '' ? 'no element' : `<${printable(root)}>`}. Export the text in another format.`, { data: { path } });
}

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

