/** What does the window see of a project? Everything it draws, made from the file and a look at the disk. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Advice, Corpus, Library, ModelCard, Project, Step } from '../contract/index.ts';
import { strictestTerms } from '../../core/corpus/terms.ts';
import { adviseOn, canTrain, countPairs } from './advice.ts';
import { termsOfCorpus } from './corpora.ts';
import { corpusName } from './inspection.ts';
import { describeNamed } from './languages.ts';
import type { CorpusEntry, ProjectFile } from './project-file.ts';
import type { OpenProject } from './projects.ts';
import { textsHaveChanged } from './trained-on.ts';

export type ViewFacts = { readonly model: ModelCard | null; readonly hasReport: boolean; readonly library: Library; readonly hasStarter: boolean };

export async function viewProject({ folder, file, access }: OpenProject, { model, hasReport, library, hasStarter }: ViewFacts): Promise<Project> {
  const corpora = await Promise.all(file.corpora.map((corpus) => viewCorpus(folder, corpus)));
  const advice = adviseOn(file, {
    hasStarter,
    missingFiles: corpora.filter(({ state }) => state === 'missing').map(({ name }) => name),
    nameOf: (tag) => describeNamed(tag, file.names).name,
  });
  const sum = (role: Corpus['role']): number => corpora.filter((corpus) => corpus.role === role).reduce((total, { counts }) => total + counts.records, 0);
  return {
    id: file.id,
    name: file.name,
    folder,
    isSample: file.isSample,
    access,
    languages: file.languages.map((tag) => describeNamed(tag, file.names)),
    bridge: describeNamed(file.bridge, file.names),
    corpora,
    totals: { questions: sum('questions'), sentences: sum('texts'), pairs: countPairs(file) },
    settings: file.settings,
    advice,
    steps: stepsOf({ file, advice, model, hasReport, library }),
    model,
    textsChanged: textsHaveChanged(file),
    terms: strictestTerms(file.corpora.map(termsOfCorpus)),
    library,
    spelling: file.spelling,
    exampleQueries: file.exampleQueries,
  };
}

async function viewCorpus(folder: string, { fingerprints, ...corpus }: CorpusEntry): Promise<Corpus> {
  const paths = corpus.paths.map((path) => resolve(folder, path));
  const looks = await Promise.all(
    fingerprints.map(async ({ path, sizeBytes, modifiedAt }) => {
      const found = await stat(resolve(folder, path)).catch(() => null); // whatever the reason, the file cannot be read
      if (found === null) return 'missing' as const;
      return found.isFile() && (found.size !== sizeBytes || found.mtimeMs !== modifiedAt) ? ('changed' as const) : ('present' as const);
    }),
  );
  return { ...corpus, paths, name: corpusName(paths), state: looks.includes('missing') ? 'missing' : looks.includes('changed') ? 'changed' : 'present' };
}

type StepFacts = { readonly file: ProjectFile; readonly advice: readonly Advice[]; readonly model: ModelCard | null; readonly hasReport: boolean; readonly library: Library };

function stepsOf({ file, advice, model, hasReport, library }: StepFacts): readonly Step[] {
  const isReady = canTrain(advice);
  const isIndexed = library.status === 'indexed' && library.madeBy === 'this-model';
  return [
    { name: 'language', state: file.languages.length > 0 ? 'done' : 'attention' },
    { name: 'texts', state: isReady ? 'done' : 'attention' },
    { name: 'train', state: model !== null && !textsHaveChanged(file) ? 'done' : isReady ? 'attention' : 'not-yet' },
    { name: 'result', state: model !== null && hasReport ? 'done' : 'not-yet' },
    { name: 'search', state: isIndexed ? 'done' : model !== null ? 'attention' : 'not-yet' },
  ];
}
