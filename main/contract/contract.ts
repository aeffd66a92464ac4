/** Which calls exist? The table of all procedures; main/api must implement every row, renderer/ calls them by these names. */
import { eventIterator, type ContractRouterClient } from '@orpc/contract';
import { z } from 'zod';
import { appInfoSchema, diagnosticsSchema, logInputSchema, logOutputSchema, settingsChangeSchema, settingsSchema, wishSchema } from './app.ts';
import { backboneInspectInputSchema, backboneInspectionSchema } from './backbone.ts';
import { byProjectSchema } from './basics.ts';
import { corpusAddInputSchema, corpusChangeInputSchema, corpusRemoveInputSchema, inspectInputSchema, inspectionSchema } from './corpus.ts';
import { calibrationStatusSchema, calibrationUseInputSchema } from './calibrate.ts';
import { procedure } from './errors.ts';
import { byExperimentSchema, experimentAddInputSchema, experimentDataInputSchema, experimentListOutputSchema, experimentResultsSchema } from './experiment.ts';
import { browseInputSchema, browseOutputSchema, uploadInputSchema, uploadOutputSchema } from './files.ts';
import { byJobSchema, jobEventSchema, jobListInputSchema, jobListOutputSchema, jobRequestSchema, jobSchema } from './job.ts';
import { languageDescribeInputSchema, languageKinInputSchema, languageKinOutputSchema, languageSchema, languageSuggestInputSchema, languageSuggestOutputSchema } from './language.ts';
import { projectCreateInputSchema, projectOpenInputSchema, projectRemoveInputSchema, projectSchema, projectUpdateInputSchema, recentOutputSchema } from './project.ts';
import { resultSchema } from './report.ts';
import { judgementExportInputSchema, judgementExportOutputSchema, judgementMarkInputSchema, judgementPoolInputSchema, judgementScoresSchema, judgementsSchema } from './judgement.ts';
import { libraryChooseInputSchema, libraryFolderAddInputSchema, libraryFolderRemoveInputSchema, libraryRetryInputSchema, librarySchema, libraryWatchInputSchema } from './library.ts';
import { byMiningSchema, mineCandidatesInputSchema, mineCandidatesOutputSchema, mineDecideInputSchema, mineLevelsOutputSchema, mineListOutputSchema, mineUndoOutputSchema, miningSchema } from './mine.ts';
import { phraseLookUpInputSchema, phraseLookUpOutputSchema, phraseStatusSchema } from './phrases.ts';
import { runCompareInputSchema, runComparisonSchema, runListOutputSchema } from './run.ts';
import { bringEventSchema, broughtSchema, shareBringInputSchema, shareLookInputSchema, sharePlanInputSchema, sharePlanSchema } from './share.ts';
import { excerptInputSchema, excerptSchema, facetsSchema, searchInputSchema, searchOutputSchema, similarInputSchema } from './search.ts';
import { planInputSchema, trainingPlanSchema } from './training.ts';

const nothing = z.object({});

export const contract = {
  app: {
    info: procedure.input(nothing).output(appInfoSchema),
    /** What was chosen for the window; the same for every window on this computer. */
    settings: procedure.input(nothing).output(settingsSchema),
    changeSettings: procedure.input(settingsChangeSchema).output(settingsSchema),
    /** What menus, notifications and opened files ask of the window; never ends. */
    wishes: procedure.input(nothing).output(eventIterator(wishSchema)),
    log: procedure.input(logInputSchema).output(logOutputSchema),
    diagnostics: procedure.input(nothing).output(diagnosticsSchema),
  },
  project: {
    /** Newest first. */
    recent: procedure.input(nothing).output(recentOutputSchema),
    create: procedure.input(projectCreateInputSchema).output(projectSchema),
    /** Copies the shipped sample into a project of the user's (or opens the one made before). */
    openSample: procedure.input(nothing).output(projectSchema),
    open: procedure.input(projectOpenInputSchema).output(projectSchema),
    /** Also after a reload or restart: a recent project is opened again by its id. */
    get: procedure.input(byProjectSchema).output(projectSchema),
    update: procedure.input(projectUpdateInputSchema).output(projectSchema),
    remove: procedure.input(projectRemoveInputSchema).output(nothing),
    /** The evaluation of the present model. */
    result: procedure.input(byProjectSchema).output(resultSchema),
  },
  language: {
    suggest: procedure.input(languageSuggestInputSchema).output(languageSuggestOutputSchema),
    describe: procedure.input(languageDescribeInputSchema).output(languageSchema),
    kin: procedure.input(languageKinInputSchema).output(languageKinOutputSchema),
  },
  files: {
    browse: procedure.input(browseInputSchema).output(browseOutputSchema),
    upload: procedure.input(uploadInputSchema).output(uploadOutputSchema),
  },
  corpus: {
    inspect: procedure.input(inspectInputSchema).output(inspectionSchema),
    add: procedure.input(corpusAddInputSchema).output(projectSchema),
    /** What was said of a corpus is said anew: languages, mapping, encoding, terms. Its file is looked at once more only where that matters. */
    change: procedure.input(corpusChangeInputSchema).output(projectSchema),
    remove: procedure.input(corpusRemoveInputSchema).output(projectSchema),
  },
  backbone: {
    /** Looks at a model folder before anything starts: faults by name, or memory and time. Faults are an answer, not an error. */
    inspect: procedure.input(backboneInspectInputSchema).output(backboneInspectionSchema),
  },
  calibration: {
    /** Start a job of kind `calibrate` to make one. */
    status: procedure.input(byProjectSchema).output(calibrationStatusSchema),
    /** Which of the two models the project searches with; its library is then read again. */
    use: procedure.input(calibrationUseInputSchema).output(projectSchema),
  },
  training: {
    /** Quick: from counts and what is known of this machine. For a measured one start a job of kind `plan`. */
    plan: procedure.input(planInputSchema).output(trainingPlanSchema),
  },
  job: {
    start: procedure.input(jobRequestSchema).output(jobSchema),
    /** From `running`; it takes effect after the present step. */
    pause: procedure.input(byJobSchema).output(jobSchema),
    /** From `paused`; an interrupted or failed job is resumed by `start` with `resume: true`. */
    resume: procedure.input(byJobSchema).output(jobSchema),
    /** Ends the job; what was there before it stays. */
    cancel: procedure.input(byJobSchema).output(jobSchema),
    /** Ends training early and keeps the model as it is now. */
    stopAndKeep: procedure.input(byJobSchema).output(jobSchema),
    list: procedure.input(jobListInputSchema).output(jobListOutputSchema),
    /** `for await (const event of await client.job.watch({ jobId }, { signal }))`. */
    watch: procedure.input(byJobSchema).output(eventIterator(jobEventSchema)),
  },
  library: {
    choose: procedure.input(libraryChooseInputSchema).output(librarySchema),
    addFolder: procedure.input(libraryFolderAddInputSchema).output(librarySchema),
    /** The folder itself is not touched; the next indexing forgets its documents. */
    removeFolder: procedure.input(libraryFolderRemoveInputSchema).output(librarySchema),
    watch: procedure.input(libraryWatchInputSchema).output(librarySchema),
    /** Starts a job of kind `index` that tries these files again. */
    retry: procedure.input(libraryRetryInputSchema).output(jobSchema),
    status: procedure.input(byProjectSchema).output(librarySchema),
  },
  search: {
    query: procedure.input(searchInputSchema).output(searchOutputSchema),
    similar: procedure.input(similarInputSchema).output(searchOutputSchema),
    facets: procedure.input(byProjectSchema).output(facetsSchema),
  },
  phrases: {
    /** Over the dictionaries among the project's corpora: alike in spelling first, then near in meaning, across languages. */
    lookUp: procedure.input(phraseLookUpInputSchema).output(phraseLookUpOutputSchema),
    /** The dictionaries among the corpora, and the model that a job of kind `phrases` made. */
    status: procedure.input(byProjectSchema).output(phraseStatusSchema),
    /** Takes the phrase model away; look-ups use the project's model again. */
    forget: procedure.input(byProjectSchema).output(nothing),
  },
  judgement: {
    mark: procedure.input(judgementMarkInputSchema).output(judgementsSchema),
    list: procedure.input(byProjectSchema).output(judgementsSchema),
    pool: procedure.input(judgementPoolInputSchema).output(searchOutputSchema),
    /** Measures now and remembers it; indexing measures by itself. */
    measure: procedure.input(byProjectSchema).output(judgementScoresSchema),
    /** Queries, collection and qrels in BEIR's form, qrels in TREC's, questions with wrong answers for training. */
    export: procedure.input(judgementExportInputSchema).output(judgementExportOutputSchema),
  },
  mine: {
    /** Newest first. A job of kind `mine` makes one. */
    list: procedure.input(byProjectSchema).output(mineListOutputSchema),
    candidates: procedure.input(mineCandidatesInputSchema).output(mineCandidatesOutputSchema),
    /** For the threshold: how many candidates lie above each hundredth. */
    levels: procedure.input(byMiningSchema).output(mineLevelsOutputSchema),
    decide: procedure.input(mineDecideInputSchema).output(miningSchema),
    undo: procedure.input(byMiningSchema).output(mineUndoOutputSchema),
    /** The accepted pairs as a corpus of the project; again: in place of the earlier one. */
    keep: procedure.input(byMiningSchema).output(projectSchema),
    remove: procedure.input(byMiningSchema).output(nothing),
  },
  run: {
    /** Every training of this project that was finished, newest first; figures stay when a model is deleted. */
    list: procedure.input(byProjectSchema).output(runListOutputSchema),
    compare: procedure.input(runCompareInputSchema).output(runComparisonSchema),
  },
  experiment: {
    /** Those that come with Isogloss and the person's own, with what is missing for each. */
    list: procedure.input(byProjectSchema).output(experimentListOutputSchema),
    chooseData: procedure.input(experimentDataInputSchema).output(experimentListOutputSchema),
    /** An experiment file of one's own; it stays where it is. */
    add: procedure.input(experimentAddInputSchema).output(experimentListOutputSchema),
    /** Forgets an own one; its file and its results stay. */
    remove: procedure.input(byExperimentSchema).output(experimentListOutputSchema),
    results: procedure.input(byExperimentSchema).output(experimentResultsSchema),
  },
  share: {
    /** What a job of kind `share` would write. */
    plan: procedure.input(sharePlanInputSchema).output(sharePlanSchema),
    /** What lies there: a portable file, a project, a model. */
    look: procedure.input(shareLookInputSchema).output(broughtSchema),
    /** `for await (const event of await client.share.bring({ path, name: null }, { signal }))`; leaving the loop before `done` leaves nothing behind. */
    bring: procedure.input(shareBringInputSchema).output(eventIterator(bringEventSchema)),
  },
  document: {
    excerpt: procedure.input(excerptInputSchema).output(excerptSchema),
  },
};

/** What the window holds: `client.project.create({...})` and so on, typed. */
export type IsoglossClient = ContractRouterClient<typeof contract>;
