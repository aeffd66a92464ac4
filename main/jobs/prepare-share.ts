/** How does a project's model leave as a job: as one portable file, or as a folder for other programs? */
import { join } from 'node:path';
import { makeFolder } from '../../core/base/atomic-files.ts';
import { assertNever, InputError } from '../../core/base/errors.ts';
import type { JobRequest } from '../contract/index.ts';
import { modelFolderOf } from '../project/models.ts';
import { PORTABLE_ENDING } from '../project/portable-file.ts';
import type { OpenProject } from '../project/projects.ts';
import { shareableIndex, sheetOf } from '../project/share-plan.ts';
import { callInWorker } from '../workers/train-in-worker.ts';
import type { ShareTask } from '../workers/messages.ts';
import type { StartProcess } from '../workers/process.ts';
import type { PreparedJob } from './registry.ts';
import { runInWorker } from './run-in-worker.ts';

export type PrepareShareOptions = { readonly startProcess: StartProcess; readonly now: () => number; readonly madeBy: string };

/** @throws InputError 'share.no-model', 'share.no-index'. */
export function prepareShare(options: PrepareShareOptions, project: OpenProject, { wish }: Extract<JobRequest, { kind: 'share' }>): PreparedJob {
  const modelFolder = modelFolderOf(project.folder, project.file);
  if (modelFolder === null) throw new InputError('share.no-model', 'Expected a trained model, found none. Train first, then share it.');
  return {
    run: (onEvent) =>
      runInWorker<'share'>((call) => callInWorker(options.startProcess, 'share', call), {
        makeReady: async () => {
          await makeFolder(wish.folder);
          return taskOf(options, { project, modelFolder, wish });
        },
        onEvent,
        finish: (result) => Promise.resolve({ kind: 'share', result }),
      }),
  };
}

async function taskOf({ now, madeBy }: PrepareShareOptions, { project, modelFolder, wish }: { readonly project: OpenProject; readonly modelFolder: string; readonly wish: Extract<JobRequest, { kind: 'share' }>['wish'] }): Promise<ShareTask> {
  const facts = { madeAt: now(), madeBy, folder: wish.folder, modelFolder };
  const out = join(wish.folder, wish.fileName);
  switch (wish.kind) {
    case 'portable': {
      const index = wish.withIndex ? await shareableIndex(project, modelFolder) : null;
      if (wish.withIndex && index === null) throw new InputError('share.no-index', 'Expected an index that this model made, found none. Read the documents first, or share without them.');
      const sheet = await sheetOf(project, { ...facts, contents: { texts: wish.withTexts, index: index === null ? null : { documents: index.facts.documents, chunks: index.facts.chunks } } });
      const { languages, names, bridge, spelling, exampleQueries } = project.file;
      return { kind: 'portable', out: out.endsWith(PORTABLE_ENDING) ? out : `${out}${PORTABLE_ENDING}`, sheet, modelFolder, index, project: { languages, names, bridge, spelling, exampleQueries } };
    }
    case 'layout': {
      const { terms } = await sheetOf(project, { ...facts, contents: { texts: false, index: null } });
      return { kind: 'layout', out, modelFolder, formats: wish.formats, licence: wish.licence, allowsUnknownLicence: wish.allowsUnknownLicence, title: project.file.name, notes: terms === null ? [] : [terms.sentence] };
    }
    default:
      return assertNever(wish, 'wish to share');
  }
}
