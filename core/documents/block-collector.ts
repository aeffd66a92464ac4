/** How do readers of big formats gather their blocks? With the headings above them, and no more than a document may have. */
import type { FileProblem } from '../base/text-files.ts';
import { faultProblem } from '../formats/parsing.ts';
import type { FormatFault } from '../formats/parsing.ts';
import { headingStack, makeBlock } from './parsed-document.ts';
import type { Block, BlockExtras, BlockKind, DocumentContent, DocumentPlace } from './parsed-document.ts';

const BLOCK_LIMIT = 500_000;
const CHARACTER_LIMIT = 64 * 1024 * 1024; // some 10,000 pages of prose are a third of it

const MOST_PROBLEMS = 1000;

/** Ends a reading early; `readWithin` turns it into a problem. */
class LimitReached extends Error {}

export type BlockCollector = {
  /** A heading of level 1 to 9; what follows stands below it. */
  readonly heading: (level: number, text: string, place: DocumentPlace) => void;
  readonly add: (kind: BlockKind, text: string, place: DocumentPlace, extras?: BlockExtras) => void;
  readonly problem: (code: string, facts: { readonly line: number; readonly expected: string; readonly found: string; readonly unit?: number; readonly advice?: string }) => void;
  /** What parsers of core/formats found wrong. */
  readonly faults: (faults: readonly FormatFault[]) => void;
  /** Forgets the headings above (a new chapter file, slide or sheet). */
  readonly resetHeadings: () => void;
  readonly blocks: readonly Block[];
  readonly problems: readonly FileProblem[];
};

/** Gathers blocks of a file; where there are no lines and rows they are numbered as paragraphs. Beyond 500,000 blocks or 64 M characters the reading ends, see `readWithin`. */
export function createBlockCollector(path: string): BlockCollector {
  const blocks: Block[] = [];
  const problems: FileProblem[] = [];
  let headings = headingStack();
  let characters = 0;
  const push = (kind: BlockKind, text: string, place: DocumentPlace, above: readonly string[], extras?: BlockExtras): void => {
    const isCounted = place.line === 0 && place.row === undefined && place.timeMs === undefined;
    const made = makeBlock(kind, text, { ...place, ...(isCounted ? { paragraph: blocks.length + 1 } : {}), headings: above }, extras);
    characters += text.length;
    if (characters > CHARACTER_LIMIT || blocks.length + made.length > BLOCK_LIMIT) throw new LimitReached();
    blocks.push(...made);
  };
  return {
    blocks,
    problems,
    heading: (level, text, place) => {
      const plain = text.replace(/\s+/g, ' ').trim();
      if (plain !== '') push('heading', plain, place, headings.enter(level, plain));
    },
    add: (kind, text, place, extras) => push(kind, text, place, headings.current(), extras),
    problem: (code, { advice, ...facts }) => {
      const where = facts.line > 0 ? `line ${facts.line}: ` : '';
      if (problems.length < MOST_PROBLEMS) problems.push({ code: `documents.${code}`, path, ...facts, message: `${path}: ${where}expected ${facts.expected}, found ${facts.found}.${advice === undefined ? '' : ` ${advice}`}` });
    },
    faults: (faults) => void problems.push(...faults.slice(0, MOST_PROBLEMS - problems.length).map((fault) => faultProblem(fault, { area: 'documents', path }))),
    resetHeadings: () => {
      headings = headingStack();
    },
  };
}

/** The same for a reading that does not wait. */
export function collectWithin(collector: BlockCollector, read: () => void): Pick<DocumentContent, 'blocks' | 'problems'> {
  try {
    read();
  } catch (thrown) {
    tellLimit(collector, thrown);
  }
  return { blocks: collector.blocks, problems: collector.problems };
}

function tellLimit(collector: BlockCollector, thrown: unknown): void {
  if (!(thrown instanceof LimitReached)) throw thrown;
  collector.problem('too-long', { line: 0, expected: `at most ${BLOCK_LIMIT} paragraphs and ${CHARACTER_LIMIT} characters`, found: 'more', advice: 'It is read up to there; split the file.' });
}

/** Runs a reading; one that ends at the limit keeps what it has and says so ('documents.too-long'). */
export async function readWithin(collector: BlockCollector, read: () => Promise<void>): Promise<Pick<DocumentContent, 'blocks' | 'problems'>> {
  try {
    await read();
  } catch (thrown) {
    tellLimit(collector, thrown);
  }
  return { blocks: collector.blocks, problems: collector.problems };
}
