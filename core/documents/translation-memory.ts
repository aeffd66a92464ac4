/** Which blocks does a translation file have? TMX and XLIFF: one for each side of a unit, the others beside it. */
import { parseAllText } from '../formats/parsing.ts';
import { tmxParser } from '../formats/tmx.ts';
import { xliffParser } from '../formats/xliff.ts';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import type { DocumentContent } from './parsed-document.ts';
import { addVersions } from './versions.ts';

/** @throws InputError 'documents.not-tmx', 'documents.no-units' ... as `tmxParser`. */
export function parseTmx(text: string, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  return collectWithin(collector, () => {
    for (const one of parseAllText(text, tmxParser({ path, area: 'documents' }))) {
      if (one.kind === 'fault') collector.faults([one.fault]);
      else if (one.part.kind === 'unit') addVersions(collector, { line: one.part.line }, { versions: one.part.variants });
    }
  });
}

/** @throws InputError 'documents.not-xliff', 'documents.no-units' ... as `xliffParser`. */
export function parseXliff(text: string, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  return collectWithin(collector, () => {
    for (const one of parseAllText(text, xliffParser({ path, area: 'documents' }))) {
      if (one.kind === 'fault') collector.faults([one.fault]);
      else if (one.part.kind === 'unit') {
        for (const { source, target } of one.part.segments) addVersions(collector, { line: one.part.line }, { versions: [{ language: one.part.sourceLanguage, text: source }, { language: one.part.targetLanguage, text: target ?? '' }] });
      }
    }
  });
}
