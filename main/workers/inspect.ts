/** Worker: what is in these corpus files, and which language is meant? */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inspectCorpus } from '../../core/corpus/inspect.ts';
import { sha256OfFile } from '../../core/base/hashing.ts';
import { InputError, serialiseError } from '../../core/base/errors.ts';
import type { Inspection } from '../contract/index.ts';
import { scorePairs } from '../../core/alignment/pair-scores.ts';
import { compareRunFiles } from '../project/compare-runs.ts';
import { readRunFile, viewRun } from '../project/runs.ts';
import { coreRole, corpusSource, describeInspection } from '../project/inspection.ts';
import { suggestLanguages } from '../project/languages.ts';
import type { Fingerprint } from '../project/project-file.ts';
import { answerCalls } from './answer.ts';
import { fingerprintLibrary } from './look-at-library.ts';
import type { InspectTask } from './messages.ts';

answerCalls({
  devices: async () => ({ devices: await (await import('../../core/runtime/device.ts')).listDevices() }),
  look: async ({ folders }, { signal }) => ({ fingerprint: await fingerprintLibrary(folders, signal) }),
  compareRuns: async ({ projectFolder, a, b, presentModel }) => {
    const [one, two] = [await readRunFile(projectFolder, a), await readRunFile(projectFolder, b)];
    return { a: await viewRun(projectFolder, one, presentModel), b: await viewRun(projectFolder, two, presentModel), ...compareRunFiles(one, two) };
  },
  suggest: ({ text, limit }) => Promise.resolve({ languages: suggestLanguages(text, limit) }),
  inspect: async (task, { signal }) => {
    try {
      const fingerprints = await fingerprintAll(task.paths, signal);
      return { inspection: await inspect(task, signal, fingerprints), fingerprints };
    } catch (thrown) {
      if (!(thrown instanceof InputError)) throw thrown;
      const { family, code, message, data } = serialiseError(thrown);
      return { inspection: { status: 'unusable', paths: task.paths, error: { family, code, message, data: { ...data } } }, fingerprints: [] };
    }
  },
});

async function inspect(task: InspectTask, signal: AbortSignal, fingerprints: readonly Fingerprint[]): Promise<Inspection> {
  const { paths, languages, projectLanguages, format, role, others = [] } = task;
  const wanted = languages?.kind === 'two' && languages.source !== null && languages.target !== null ? { source: languages.source, target: languages.target } : null;
  const source = corpusSource({ paths, format, languages: wanted, encoding: task.encoding ?? null, mapping: task.mapping ?? null });
  const found = await inspectCorpus(source, signal, {
    purpose: 'training',
    others: others.map(({ name, purpose, ...files }) => ({ name, purpose, source: corpusSource({ ...files, languages: null }) })),
    scorePairs,
    ...(role === null ? {} : { role: coreRole(role) }),
  });
  return describeInspection({ paths, found, chosen: languages, projectLanguages, sizeBytes: fingerprints.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) });
}

/** One fingerprint per file; of a folder, one per file directly in it. */
async function fingerprintAll(paths: readonly string[], signal: AbortSignal): Promise<readonly Fingerprint[]> {
  const files: string[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => null); // the reader says in better words what is wrong
    if (found?.isDirectory() === true) for (const entry of await readdir(path, { withFileTypes: true })) if (entry.isFile()) files.push(join(path, entry.name));
    if (found?.isFile() === true) files.push(path);
  }
  const fingerprints: Fingerprint[] = [];
  for (const path of files) {
    const { size, mtimeMs } = await stat(path);
    fingerprints.push({ path, sizeBytes: size, modifiedAt: mtimeMs, sha256: await sha256OfFile(path, signal) });
  }
  return fingerprints;
}
