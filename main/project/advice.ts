/** What is still missing before training is possible, or would help most? In sentences, with numbers. */
import type { Advice, AdviceCode } from '../contract/index.ts';
import { corpusName } from './inspection.ts';
import type { ProjectFile } from './project-file.ts';

/** Below this a language's pairs teach little (default-retriever.md: 617 general pairs carry Thai, Vietnamese, Greek). */
const PAIRS_TO_BEGIN = 300;
const PAIRS_ENOUGH = 2_000;
/** What a person can add in an evening. */
const PAIRS_NEXT = 500;

export type PairCount = { readonly language: string; readonly pairs: number };

/** Pairs per language of the user, whichever side it stands on. */
export function countPairs(file: ProjectFile): readonly PairCount[] {
  return file.languages
    .filter((language) => language !== file.bridge)
    .map((language) => ({
      language,
      pairs: file.corpora
        .filter((corpus) => corpus.languages.kind === 'two' && (corpus.languages.source === language || corpus.languages.target === language))
        .reduce((sum, corpus) => sum + corpus.counts.records, 0),
    }));
}

/** All advice of a project, what blocks first. `missingFiles`: names of corpora whose files are gone. */
export function adviseOn(file: ProjectFile, facts: { readonly missingFiles: readonly string[]; readonly hasStarter: boolean; readonly nameOf: (tag: string) => string }): readonly Advice[] {
  const advice: Advice[] = [];
  const say = (code: AdviceCode, blocks: boolean, message: string, { languages = [], data = {} }: { readonly languages?: readonly string[]; readonly data?: Advice['data'] } = {}): void => void advice.push({ code, blocks, message, languages, data });
  const unsaid = file.corpora.filter(({ role, languages }) => role !== 'questions' && (languages.kind === 'one' ? languages.language === null : languages.source === null || languages.target === null));
  if (file.corpora.every(({ role }) => role === 'texts')) {
    say('texts.nothing-to-train', true, 'Add sentences with their translations (or questions with their passages). A few hundred pairs are enough to begin.', { languages: file.languages });
  }
  if (!facts.hasStarter && !file.corpora.some(({ role }) => role === 'questions')) {
    say('texts.no-questions', true, 'Add questions with the passages that answer them: this installation has no English starter to begin from.');
  }
  for (const name of facts.missingFiles) say('texts.file-missing', true, `${name}: the file is not where it was. Put it back, or remove the card.`, { data: { file: name } });
  for (const { paths } of unsaid) {
    const name = corpusName(paths);
    say('texts.language-unsaid', true, `${name}: say which language it is in.`, { data: { file: name } });
  }
  for (const { language, pairs } of countPairs(file)) {
    const name = facts.nameOf(language);
    const languages = [language];
    const more = pairs < PAIRS_TO_BEGIN ? PAIRS_TO_BEGIN - pairs : PAIRS_NEXT;
    if (pairs === 0) say('texts.no-pairs', false, `There are no pairs in ${name} yet. Without them search works within ${name}, by words and letters, but does not cross to another language.`, { languages });
    else if (pairs < PAIRS_TO_BEGIN) say('texts.few-pairs', false, `${pairs.toLocaleString('en')} pairs in ${name} are few. ${more.toLocaleString('en')} more would make a clear difference.`, { languages, data: { pairs, more } });
    else if (pairs < PAIRS_ENOUGH) say('texts.more-pairs', false, `Enough to begin in ${name}. ${more.toLocaleString('en')} more pairs from everyday text would help most.`, { languages, data: { pairs, more } });
  }
  // measured: test/experiments/papers.md, hu-table-2, hu-table-5, hu-table-6 and when-they-help
  if (file.settings.encoder === 'static' && Number(file.settings.changed.static['losses/language/weight'] ?? 0) > 0) {
    say('train.language-loss', false, 'The language contrastive loss is switched on. Measured with encoders that begin from nothing: beside the loss that brings translations together it adds nothing; alone it helps languages with pairs to find translations; search in languages without pairs it harms. A weight of 0 is quicker, too.');
  }
  return advice.sort((a, b) => Number(b.blocks) - Number(a.blocks));
}

export function canTrain(advice: readonly Advice[]): boolean {
  return advice.every(({ blocks }) => !blocks);
}
