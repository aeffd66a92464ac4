/** Who answers which call? One row per row of the contract: validate, call, return. */
import { implement } from '@orpc/server';
import { InputError } from '../../core/base/errors.ts';
import { contract } from '../contract/index.ts';
import { comparedCorpora, inspectPaths } from '../project/corpora.ts';
import { viewFolder } from '../project/folders.ts';
import { chooseLanguages, describeIn, describeLanguage, kinOf } from '../project/languages.ts';
import { readLibraryReport } from '../project/library.ts';
import { decideMining, levelsOf, listMinings, pairsOf, readMining, undoMining } from '../project/mining.ts';
import { viewJudgements } from '../project/judgements.ts';
import { receivePiece } from '../project/uploads.ts';
import type { Services } from './application.ts';
import { calibrationStatus, useCalibration } from './calibration.ts';
import { createChosenPaths, showEach } from './chosen-paths.ts';
import { doorError, guardStream } from './door-errors.ts';
import { exportProjectJudgements, markPassage, measureJudgements, requireWritable } from './judgements.ts';
import { addOwn, changeExperiments, chooseData, experimentResults, experimentsOf, forget } from './experiments.ts';
import { gatherDiagnostics } from './gather-diagnostics.ts';
import { addFolder, changeFolders, forgetMined, keepMined, retryFiles, watchLibrary } from './library.ts';
import { forgetPhrases, lookPhraseUp, phraseStatus } from './phrases.ts';
import { addCorpus, changeCorpus, incomingFolder, inspectBackbone, openSample, planTraining, readLibrary, readResult, removeCorpus, show, updateProject } from './projects.ts';
import { facets, pool, search, searchSimilar } from './search.ts';
import { bringIn, compareProjectRuns, listProjectRuns, lookAtShared, planShare } from './share.ts';

/** The router of a running application. */
export function createRouter(services: Services) {
  const { projects, jobs, recent, options } = services;
  const chosen = options.paths === 'chosen' ? createChosenPaths() : null;
  const door = implement(contract).use(async ({ next, path }, input) => {
    try {
      chosen?.require(path.join('.'), input);
      const result = await next();
      if (chosen === null) return result;
      if (isStream(result.output)) return { ...result, output: showEach(result.output, chosen.show) as typeof result.output }; // the same events, one by one
      chosen.show(result.output);
      return result;
    } catch (thrown) {
      throw doorError(thrown, options.onFault);
    }
  });
  return door.router({
    app: {
      info: door.app.info.handler(() => services.info),
      settings: door.app.settings.handler(() => services.settings.get()),
      changeSettings: door.app.changeSettings.handler(async ({ input }) => {
        const settings = await services.settings.change(input);
        options.onSettings?.(settings);
        return settings;
      }),
      wishes: door.app.wishes.handler(({ signal }) => guardStream(services.wishes.listen(signal), options.onFault)),
      log: door.app.log.handler(async ({ input }) => ({ entries: await services.log.read(input.most) })),
      diagnostics: door.app.diagnostics.handler(async () => ({ text: await gatherDiagnostics(services) })),
    },
    project: {
      recent: door.project.recent.handler(async () => ({ projects: await recent.list() })),
      create: door.project.create.handler(async ({ input }) => {
        return show(services, await projects.create({ name: input.name, ...chooseLanguages(input.languages), parentFolder: input.parentFolder ?? options.folders.projects }));
      }),
      openSample: door.project.openSample.handler(() => openSample(services)),
      open: door.project.open.handler(async ({ input }) => show(services, await projects.open(input.folder))),
      get: door.project.get.handler(async ({ input }) => show(services, await projects.get(input.projectId))),
      update: door.project.update.handler(({ input }) => updateProject(services, input)),
      remove: door.project.remove.handler(async ({ input }) => {
        if (jobs.list(input.projectId).some(({ endedAt }) => endedAt === null)) throw new InputError('project.busy', 'Something is still being done in this project. Cancel it first, then remove the project.');
        await services.searcher.stop();
        await projects.remove(input.projectId, input.what);
        return {};
      }),
      result: door.project.result.handler(({ input }) => readResult(services, input.projectId)),
    },
    language: {
      suggest: door.language.suggest.handler(({ input, signal }) => services.inspector.ask('suggest', input, signal)),
      describe: door.language.describe.handler(({ input: { tag, inLanguage } }) => (inLanguage === undefined ? describeLanguage(tag) : describeIn(tag, inLanguage))),
      kin: door.language.kin.handler(({ input }) => ({ languages: kinOf(input.tag, input.limit) })),
    },
    files: {
      browse: door.files.browse.handler(({ input }) => viewFolder({ ...input, home: options.home })),
      upload: door.files.upload.handler(async ({ input }) => {
        const { projectId, chunk, ...piece } = input;
        return receivePiece({ ...piece, folder: await incomingFolder(services, projectId), bytes: new Uint8Array(await chunk.arrayBuffer()) });
      }),
    },
    corpus: {
      inspect: door.corpus.inspect.handler(async ({ input, signal }) => {
        const { folder, file } = await projects.get(input.projectId);
        return inspectPaths(services.inspector, { paths: input.paths, choice: input.choice, projectLanguages: [...file.languages, file.bridge], others: comparedCorpora({ folder, file, paths: input.paths }), signal });
      }),
      add: door.corpus.add.handler(({ input }) => addCorpus(services, input)),
      change: door.corpus.change.handler(({ input }) => changeCorpus(services, input)),
      remove: door.corpus.remove.handler(({ input }) => removeCorpus(services, input)),
    },
    backbone: {
      inspect: door.backbone.inspect.handler(({ input, signal }) => inspectBackbone(services, input, signal)),
    },
    training: {
      plan: door.training.plan.handler(({ input }) => planTraining(services, input.projectId)),
    },
    job: {
      start: door.job.start.handler(({ input }) => jobs.start(input)),
      pause: door.job.pause.handler(({ input }) => jobs.act(input.jobId, 'pause')),
      resume: door.job.resume.handler(({ input }) => jobs.act(input.jobId, 'resume')),
      cancel: door.job.cancel.handler(({ input }) => jobs.act(input.jobId, 'cancel')),
      stopAndKeep: door.job.stopAndKeep.handler(({ input }) => jobs.act(input.jobId, 'stop-and-keep')),
      list: door.job.list.handler(({ input }) => ({ jobs: jobs.list(input.projectId) })),
      watch: door.job.watch.handler(({ input, signal }) => guardStream(jobs.watch(input.jobId, signal), options.onFault)),
    },
    library: {
      choose: door.library.choose.handler(async ({ input }) => {
        const { path } = await viewFolder({ path: input.folder, show: 'folders', home: options.home });
        return changeFolders(services, input.projectId, () => [{ name: '', path }]);
      }),
      addFolder: door.library.addFolder.handler(async ({ input }) => {
        const { path } = await viewFolder({ path: input.folder, show: 'folders', home: options.home });
        return changeFolders(services, input.projectId, addFolder(path));
      }),
      removeFolder: door.library.removeFolder.handler(({ input }) => changeFolders(services, input.projectId, (folders) => folders.filter(({ path }) => path !== input.folder))),
      watch: door.library.watch.handler(({ input }) => watchLibrary(services, input.projectId, input.isWatched)),
      retry: door.library.retry.handler(({ input }) => retryFiles(services, input.projectId, input.paths)),
      status: door.library.status.handler(async ({ input }) => readLibrary(services, await projects.get(input.projectId))),
    },
    search: {
      query: door.search.query.handler(({ input, signal }) => search(services, input, signal)),
      similar: door.search.similar.handler(({ input, signal }) => searchSimilar(services, input, signal)),
      facets: door.search.facets.handler(({ input }) => facets(services, input.projectId)),
    },
    calibration: {
      status: door.calibration.status.handler(({ input }) => calibrationStatus(services, input.projectId)),
      use: door.calibration.use.handler(({ input }) => useCalibration(services, input)),
    },
    phrases: {
      lookUp: door.phrases.lookUp.handler(({ input, signal }) => lookPhraseUp(services, input, signal)),
      status: door.phrases.status.handler(({ input, signal }) => phraseStatus(services, input.projectId, signal)),
      forget: door.phrases.forget.handler(({ input }) => forgetPhrases(services, input.projectId)),
    },
    judgement: {
      mark: door.judgement.mark.handler(async ({ input: { projectId, ...mark } }) => markPassage(await projects.get(projectId), { ...mark, at: services.now() })),
      list: door.judgement.list.handler(async ({ input }) => viewJudgements((await projects.get(input.projectId)).folder)),
      pool: door.judgement.pool.handler(({ input, signal }) => pool(services, input, signal)),
      measure: door.judgement.measure.handler(async ({ input }) => {
        const measured = await measureJudgements({ ...services, projectId: input.projectId, generation: services.indexGeneration(input.projectId) });
        if (measured === null) throw new InputError('judgement.none-right', 'Expected at least one passage marked as right, found none. Mark the passages that answer your questions.');
        return measured;
      }),
      export: door.judgement.export.handler(async ({ input }) => exportProjectJudgements(await projects.get(input.projectId), input.folder)),
    },
    mine: {
      list: door.mine.list.handler(async ({ input }) => ({ minings: await listMinings((await projects.get(input.projectId)).folder) })),
      candidates: door.mine.candidates.handler(async ({ input }) => {
        const mining = await readMining((await projects.get(input.projectId)).folder, input.miningId);
        return { mining: mining.mining, ...pairsOf(mining, input) };
      }),
      levels: door.mine.levels.handler(async ({ input }) => ({ levels: levelsOf(await readMining((await projects.get(input.projectId)).folder, input.miningId)) })),
      decide: door.mine.decide.handler(async ({ input }) => {
        const project = await projects.get(input.projectId);
        requireWritable(project);
        return decideMining(project.folder, input.miningId, input);
      }),
      undo: door.mine.undo.handler(async ({ input }) => {
        const project = await projects.get(input.projectId);
        requireWritable(project);
        return undoMining(project.folder, input.miningId);
      }),
      keep: door.mine.keep.handler(({ input }) => keepMined(services, input.projectId, input.miningId)),
      remove: door.mine.remove.handler(({ input }) => forgetMined(services, input.projectId, input.miningId)),
    },
    run: {
      list: door.run.list.handler(async ({ input }) => ({ runs: await listProjectRuns(services, input.projectId) })),
      compare: door.run.compare.handler(({ input, signal }) => compareProjectRuns(services, input, signal)),
    },
    experiment: {
      list: door.experiment.list.handler(({ input }) => experimentsOf(services, input.projectId)),
      chooseData: door.experiment.chooseData.handler(async ({ input }) => {
        const { path } = await viewFolder({ path: input.folder, show: 'folders', home: options.home });
        return changeExperiments(services, input.projectId, chooseData(path));
      }),
      add: door.experiment.add.handler(({ input }) => changeExperiments(services, input.projectId, addOwn(input.file))),
      remove: door.experiment.remove.handler(({ input }) => changeExperiments(services, input.projectId, forget(input.experimentId))),
      results: door.experiment.results.handler(({ input }) => experimentResults(services, input)),
    },
    share: {
      plan: door.share.plan.handler(({ input }) => planShare(services, input.projectId)),
      look: door.share.look.handler(({ input, signal }) => lookAtShared(services, input.path, signal)),
      bring: door.share.bring.handler(({ input, signal }) => guardStream(bringIn(services, input, signal), options.onFault)),
    },
    document: {
      excerpt: door.document.excerpt.handler(async ({ input, signal }) => {
        const { folder, file } = await projects.get(input.projectId);
        if (file.library.folders.length === 0) throw new InputError('index.no-folder', 'Expected a folder of documents, found none. Choose the folder first.');
        return services.searcher.ask('excerpt', { folders: file.library.folders, path: input.path, location: input.location, indexedAt: (await readLibraryReport(folder))?.indexedAt ?? null }, signal);
      }),
    },
  });
}

function isStream(output: unknown): output is AsyncIterable<unknown> {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output;
}

export type ApplicationRouter = ReturnType<typeof createRouter>;
