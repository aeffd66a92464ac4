/** Which blocks does a LIFT dictionary have? One for each entry (headword, its variants, glosses, definitions) and one for each example. */
import { liftParser } from '../formats/lift.ts';
import type { LiftEntry } from '../formats/lift.ts';
import { oneLine, parseAllText } from '../formats/parsing.ts';
import type { TaggedText } from '../formats/parsing.ts';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import type { DocumentContent } from './parsed-document.ts';
import { addVersions } from './versions.ts';

const HEADWORD_GAP = ': ';
const SENSE_GAP = '; ';

/** @throws InputError 'documents.not-lift' ... as `liftParser`. */
export function parseLift(text: string, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  return collectWithin(collector, () => {
    for (const one of parseAllText(text, liftParser({ path, area: 'documents' }))) {
      if (one.kind === 'fault') collector.faults([one.fault]);
      else if (one.part.kind === 'entry') writeEntry(one.part, collector);
    }
  });
}

function writeEntry({ lexicalUnit, citation, variants, senses, line }: LiftEntry, collector: BlockCollector): void {
  const forms = [...lexicalUnit, ...citation, ...variants];
  const meanings = senses.flatMap(({ glosses, definitions }) => [...glosses, ...definitions]);
  const text = [distinct(forms).join(', '), distinct(meanings).join(SENSE_GAP)].filter((part) => part !== '').join(HEADWORD_GAP);
  collector.add('segment', text, { line }, { aligned: [], language: forms[0]?.language ?? '' });
  for (const { texts, translations } of senses.flatMap(({ examples }) => examples)) addVersions(collector, { line }, { versions: [...texts, ...translations] });
}

const distinct = (texts: readonly TaggedText[]): readonly string[] => [...new Set(texts.map(({ text }) => oneLine(text)).filter((text) => text !== ''))];
