/** How is sharing handed to main/project and core, and what is told on the way? */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertNever } from '../../core/base/errors.ts';
import type { Progress } from '../../core/base/progress.ts';
import { exportModel } from '../../core/encoding/export-model.ts';
import type { IndexEvent } from '../contract/index.ts';
import { copyFolder, isProjectFileToCopy } from '../project/brought.ts';
import { unpackPortable } from '../project/read-portable.ts';
import { filesBelow, writePortable } from '../project/write-portable.ts';
import type { BroughtTask, CallOutput, ShareTask } from './messages.ts';

export type ShareWishes = { readonly signal: AbortSignal; readonly report: (event: IndexEvent) => void };

const TOLD_EVERY_MS = 100;

/** Writes the portable file, or the folder of another layout. @throws as `writePortable` and `exportModel`. */
export async function runShareTask(task: ShareTask, { signal, report }: ShareWishes): Promise<CallOutput<'share'>> {
  const say = seldom(report);
  switch (task.kind) {
    case 'portable': {
      const { out, sheet, modelFolder, index, project } = task;
      return { kind: 'portable', paths: [out], sizeBytes: await writePortable({ out, sheet, modelFolder, index, project, signal, report: say }) };
    }
    case 'layout': {
      const { out, modelFolder, formats, licence, allowsUnknownLicence, title, notes } = task;
      say({ phase: 'packing', done: 0, total: null, unit: 'bytes' });
      const paths = await exportModel({ modelFolder, out, formats, licence, allowsUnknownLicence, title, notes, signal });
      let sizeBytes = 0;
      for (const path of paths) for (const name of await filesBelow(path)) sizeBytes += (await stat(join(path, name))).size;
      return { kind: 'layout', paths, sizeBytes };
    }
    default:
      return assertNever(task, 'share task');
  }
}

/** Fills a new folder with what was brought. @throws as `unpackPortable` and `copyFolder`. */
export async function fillFromBrought({ kind, path, folder }: BroughtTask, { signal, report }: ShareWishes): Promise<CallOutput<'fillFromBrought'>> {
  const say = seldom(report);
  switch (kind) {
    case 'portable':
      return { manifest: (await unpackPortable({ path, folder, signal, report: say })).manifest };
    case 'model':
      await copyFolder({ from: path, to: join(folder, 'model'), signal, report: say });
      return { manifest: null };
    case 'project':
      await copyFolder({ from: path, to: folder, signal, report: say, mayCopy: isProjectFileToCopy });
      return { manifest: null };
    default:
      return assertNever(kind, 'kind of what was brought');
  }
}

/** Progress comes with every piece; a window needs ten a second. */
function seldom(report: (event: IndexEvent) => void): (progress: Progress) => void {
  let toldAt = -Infinity;
  let phase = '';
  return (progress) => {
    const now = performance.now();
    if (progress.phase === phase && now - toldAt < TOLD_EVERY_MS) return;
    toldAt = now;
    phase = progress.phase;
    report({ kind: 'progress', phase: PHASES.find((name) => name === progress.phase) ?? 'packing', done: progress.done, total: progress.total, unit: progress.unit, leftMs: null });
  };
}
const PHASES = ['packing', 'unpacking', 'finishing'] as const;
