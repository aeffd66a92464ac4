/** What does somebody bring on a stick: a portable file, a project, a model? And how does it come into a folder of this computer? */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readJson } from '../../core/base/atomic-files.ts';
import { CancellationError, InputError, toIsoglossError } from '../../core/base/errors.ts';
import type { Progress } from '../../core/base/progress.ts';
import { MANIFEST_FILE, MODEL_FORMAT, readManifest } from '../../core/encoding/model-folder.ts';
import type { Brought } from '../contract/index.ts';
import { PORTABLE_ENDING } from './portable-file.ts';
import { PROJECT_FILE, readProjectFile } from './project-file.ts';
import { lookIntoPortable } from './read-portable.ts';
import { filesBelow } from './write-portable.ts';

/** What stays behind when a project is copied: its lock, a training that is not finished. */
const NOT_COPIED = /^(?:project\.lock|models\/training(?:\.training|-plan)?\/.*)$/;
const BACKBONE_FILES = ['config.json', 'modules.json', 'model.onnx', 'onnx'];

/**
 * Looks at a path that somebody chose; changes nothing.
 * @throws InputError 'share.nothing-there' naming what was expected; those of a damaged file of its kind; 'file.missing'.
 */
export async function lookAtBrought(path: string, signal: AbortSignal): Promise<Brought> {
  const found = await stat(path).catch((thrown: unknown) => {
    throw toIsoglossError(thrown, path);
  });
  if (found.isFile()) {
    if ([PROJECT_FILE, MANIFEST_FILE].includes(basename(path))) return lookAtBrought(dirname(path), signal);
    const { manifest, sheet, sizeBytes } = await lookIntoPortable(path, signal);
    return { kind: 'portable', path, name: manifest.name, sheet, sizeBytes };
  }
  const names = new Set(await readdir(path).catch((thrown: unknown) => {
    throw toIsoglossError(thrown, path);
  }));
  if (names.has(PROJECT_FILE)) {
    const { file, isNewer } = await readProjectFile(path);
    return { kind: 'project', path, name: file.name, languages: file.languages, hasModel: file.model !== null, sizeBytes: await sizeOf(path), isNewer };
  }
  if (names.has(MANIFEST_FILE) && (await isModelManifest(join(path, MANIFEST_FILE)))) {
    const { languages, pivot } = await readManifest(path);
    const foreign = languages.map(({ tag }) => tag).filter((tag) => tag !== pivot);
    return { kind: 'model', path, name: basename(path), languages: foreign.length === 0 ? [pivot] : foreign, sizeBytes: await sizeOf(path) };
  }
  if (BACKBONE_FILES.some((name) => names.has(name))) return { kind: 'backbone', path };
  const files = [...names].filter((name) => name.endsWith(PORTABLE_ENDING));
  const hint = files.length === 0 ? '' : ` There ${files.length === 1 ? 'is a file' : 'are files'} to choose in it: ${files.slice(0, 3).join(', ')}.`;
  throw new InputError('share.nothing-there', `${path}: expected a file that Isogloss shared (${PORTABLE_ENDING}), the folder of a project or of a model, found none of them.${hint}`, { data: { path } });
}

async function isModelManifest(path: string): Promise<boolean> {
  const value = await readJson(path).catch(() => null); // then it is something else
  return typeof value === 'object' && value !== null && 'format' in value && value.format === MODEL_FORMAT;
}

/**
 * Copies a folder, file by file, into one that may exist; links are left out, nothing there is overwritten.
 * @param mayCopy  of a file's path below `from`. @throws EnvironmentError of the disks; CancellationError.
 */
export async function copyFolder({ from, to, signal, report, mayCopy = () => true }: { readonly from: string; readonly to: string; readonly signal: AbortSignal; readonly report: (progress: Progress) => void; readonly mayCopy?: (path: string) => boolean }): Promise<void> {
  try {
    const files = (await filesBelow(from)).filter(mayCopy);
    const sizes = await Promise.all(files.map(async (name) => (await stat(join(from, name))).size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    let done = 0;
    for (const name of files) {
      await mkdir(dirname(join(to, name)), { recursive: true });
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        for await (const piece of createReadStream(join(from, name)) as AsyncIterable<Uint8Array>) {
          done += piece.length;
          report({ phase: 'unpacking', done, total, unit: 'bytes' });
          yield piece;
        }
      };
      await pipeline(counted(), createWriteStream(join(to, name), { flags: 'wx' }), { signal });
    }
  } catch (thrown) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: thrown });
    throw toIsoglossError(thrown);
  }
}

/** Of a project: all but what belongs to the machine it was on. */
export const isProjectFileToCopy = (path: string): boolean => path !== PROJECT_FILE && !NOT_COPIED.test(path);

async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all((await filesBelow(folder)).map((name) => stat(join(folder, name)).then(({ size }) => size, () => 0)));
  return sizes.reduce((sum, size) => sum + size, 0);
}
