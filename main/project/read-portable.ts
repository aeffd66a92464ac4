/** What is in a portable file from another machine, and how is it unpacked without trusting it? */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CancellationError, EnvironmentError, InputError, toIsoglossError } from '../../core/base/errors.ts';
import type { Progress } from '../../core/base/progress.ts';
import { readManifest } from '../../core/encoding/model-folder.ts';
import { openZip, type ZipArchive, type ZipLimits } from '../../core/formats/zip.ts';
import { dataSheetSchema, type DataSheet } from '../contract/index.ts';
import { INDEX_PREFIX, MODEL_PREFIX, notPortable, parsePortableManifest, PORTABLE_MANIFEST, SHEET_DATA, SHEET_PAGE, type PortableManifest } from './portable-file.ts';

const GIB = 2 ** 30;
/** A large model and an index of a million passages, with room; every size is counted while unpacking. */
const LIMITS: Partial<ZipLimits> = { entries: 100_000, entryBytes: 64 * GIB, totalBytes: 128 * GIB };
const LARGEST_TEXT_BYTES = 64 * 2 ** 20;
/** What a disk needs beside the files. */
const SPARE_BYTES = 64 * 2 ** 20;

export type PortableFacts = { readonly manifest: PortableManifest; readonly sheet: DataSheet; readonly sizeBytes: number };

/**
 * Looks into a portable file; nothing is unpacked to a disk.
 * @throws InputError 'share.not-portable', 'share.newer-version', 'share.unsafe-name', 'share.damaged', what `openZip` throws ('share.zip-...').
 */
export async function lookIntoPortable(path: string, signal: AbortSignal): Promise<PortableFacts> {
  const archive = await openZip(path, signal, { area: 'share', limits: LIMITS });
  try {
    return await readFacts(archive, path);
  } finally {
    archive.close();
  }
}

/**
 * Unpacks the model (and the index, if there is one) into `folder`, which must be new: `model/`, `index/`. Every file is checked against
 * its size and sum; what the manifest does not name is refused. On any fault `folder` is left half filled for the caller to remove.
 * @throws as `lookIntoPortable`; EnvironmentError 'disk.full' before anything is written when there is too little room; CancellationError.
 */
export async function unpackPortable({ path, folder, signal, report }: { readonly path: string; readonly folder: string; readonly signal: AbortSignal; readonly report: (progress: Progress) => void }): Promise<PortableFacts> {
  const archive = await openZip(path, signal, { area: 'share', limits: LIMITS });
  try {
    const facts = await readFacts(archive, path);
    await mkdir(folder, { recursive: true });
    await expectRoom(folder, facts.sizeBytes);
    let done = 0;
    for (const [name, { sha256, sizeBytes }] of Object.entries(facts.manifest.files)) {
      const target = join(folder, name);
      await mkdir(dirname(target), { recursive: true });
      const hash = createHash('sha256');
      let size = 0;
      const checked = async function* (): AsyncGenerator<Uint8Array> {
        for await (const piece of archive.stream(name)) {
          size += piece.length;
          if (size > sizeBytes) throw damaged(path, name);
          hash.update(piece);
          done += piece.length;
          report({ phase: 'unpacking', done, total: facts.sizeBytes, unit: 'bytes' });
          yield piece;
        }
      };
      await pipeline(checked, createWriteStream(target, { flags: 'wx' }), { signal });
      if (size !== sizeBytes || hash.digest('hex') !== sha256) throw damaged(path, name);
    }
    report({ phase: 'finishing', done, total: facts.sizeBytes, unit: 'bytes' });
    await checkModel(join(folder, 'model'), facts.manifest, path);
    return facts;
  } catch (thrown) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: thrown });
    throw toIsoglossError(thrown);
  } finally {
    archive.close();
  }
}

async function readFacts(archive: ZipArchive, path: string): Promise<PortableFacts> {
  if (!archive.has(PORTABLE_MANIFEST)) throw notPortable(path, `there is no ${PORTABLE_MANIFEST} in it`);
  const manifest = parsePortableManifest(await readText(archive, PORTABLE_MANIFEST, path), path);
  const named = new Set([PORTABLE_MANIFEST, ...Object.keys(manifest.files)]);
  const stranger = archive.entries.find(({ name }) => !named.has(name));
  if (stranger !== undefined) throw notPortable(path, `it holds a file that it does not name (${JSON.stringify(stranger.name)})`);
  const absent = Object.keys(manifest.files).find((name) => !archive.has(name));
  if (absent !== undefined) throw damaged(path, absent);
  if (!archive.has(`${MODEL_PREFIX}model.json`)) throw notPortable(path, 'there is no model in it');
  if ((manifest.index !== null) !== archive.entries.some(({ name }) => name.startsWith(INDEX_PREFIX))) throw notPortable(path, 'what it says of its index is not so');
  const text = await readText(archive, SHEET_DATA, path);
  if (createHash('sha256').update(text).digest('hex') !== manifest.files[SHEET_DATA]?.sha256 || !archive.has(SHEET_PAGE)) throw damaged(path, SHEET_DATA);
  const sheet = dataSheetSchema.safeParse(parseJson(text, path));
  if (!sheet.success) throw notPortable(path, 'its data sheet is not one');
  return { manifest, sheet: sheet.data, sizeBytes: Object.values(manifest.files).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
}

async function readText(archive: ZipArchive, name: string, path: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of archive.stream(name)) {
    size += piece.length;
    if (size > LARGEST_TEXT_BYTES) throw notPortable(path, `${name} in it is larger than any that Isogloss writes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notPortable(path, 'its data sheet is not JSON', cause);
  }
}

/** The model's own sums are those that it came with, so that what is opened is what was shared. */
async function checkModel(folder: string, { files, model }: PortableManifest, path: string): Promise<void> {
  const own = await readManifest(folder);
  for (const [name, sum] of Object.entries(own.files)) {
    const packed = files[`${MODEL_PREFIX}${name}`];
    if (packed === undefined ? !model.leftOut.includes(name) : packed.sha256 !== sum) throw damaged(path, `${MODEL_PREFIX}${name}`);
  }
}

async function expectRoom(folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free > neededBytes + SPARE_BYTES) return;
  const inMB = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  throw new EnvironmentError('disk.full', `${folder}: unpacking needs ${inMB(neededBytes)} MB, there are ${inMB(free)} MB free. Nothing was unpacked; make room, or choose another folder.`, { data: { path: folder } });
}

function damaged(path: string, name: string): InputError {
  return new InputError('share.damaged', `${path}: ${JSON.stringify(name)} in it is not what was shared (its size or SHA-256 differs). Nothing was taken; copy the file again from where it came.`, { data: { path, name } });
}
