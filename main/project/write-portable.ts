/** How does a model, with its report and perhaps its index, become one file for another machine? */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '../../core/base/atomic-files.ts';
import { CancellationError, InputError } from '../../core/base/errors.ts';
import type { Progress } from '../../core/base/progress.ts';
import { MANIFEST_FILE, readManifest } from '../../core/encoding/model-folder.ts';
import { createZipWriter, type ZipEntryFacts } from '../../core/formats/zip-writer.ts';
import { readIndexManifest } from '../../core/retrieval/store/index-manifest.ts';
import { evaluationReportSchema, type DataSheet } from '../contract/index.ts';
import { sheetPage, TEXT_FILES, withoutPlaces } from './data-sheet.ts';
import { REPORT_FILE } from './models.ts';
import { INDEX_PREFIX, isSafeName, MODEL_PREFIX, newPortableManifest, PORTABLE_MANIFEST, SHEET_DATA, SHEET_PAGE, type PortableIndex, type PortableManifest } from './portable-file.ts';

export type WritePortableOptions = {
  /** The file to make; must not be there. */
  readonly out: string;
  readonly sheet: DataSheet;
  readonly modelFolder: string;
  /** null: without. */
  readonly index: { readonly folder: string; readonly facts: PortableIndex } | null;
  readonly project: Pick<PortableManifest, 'languages' | 'names' | 'bridge' | 'spelling' | 'exampleQueries'>;
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
};

const INDEX_MANIFEST = 'index.json';

/**
 * Writes the file as a stream: constant memory, whole or not there. What names places of this machine (the recipe's paths, the folders of an
 * index) is left out; so are held-back sentences and examples where the sheet says so.
 * @returns its size in bytes.
 * @throws InputError 'share.exists', 'share.index-elsewhere', 'share.unsafe-name'; EnvironmentError of the disk; CancellationError.
 */
export async function writePortable({ out, sheet, modelFolder, index, project, signal, report }: WritePortableOptions): Promise<number> {
  if (signal.aborted) throw new CancellationError();
  const withTexts = sheet.contents.texts;
  const modelFiles = (await filesBelow(modelFolder)).filter((name) => withTexts || !isTextFile(name));
  const indexFiles = index === null ? [] : await filesBelow(index.folder);
  if (index !== null && (await readIndexManifest(index.folder)).location !== undefined) {
    throw new InputError('share.index-elsewhere', 'The tables of this index lie on a server, so they cannot go into a file. Share the model without the index.', { data: { path: index.folder } });
  }
  const sizes = await Promise.all([...modelFiles.map((name) => join(modelFolder, name)), ...indexFiles.map((name) => join(index?.folder ?? '', name))].map(async (path) => (await stat(path)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  const onBytes = (bytes: number): void => {
    done += bytes;
    report({ phase: 'packing', done, total, unit: 'bytes' });
  };
  const files: Record<string, ZipEntryFacts> = {};
  await using writer = await createZipWriter(out, signal);
  const put = async (name: string, adding: Promise<ZipEntryFacts>): Promise<void> => {
    files[name] = await adding;
  };
  await put(SHEET_PAGE, writer.addText(SHEET_PAGE, sheetPage(sheet)));
  await put(SHEET_DATA, writer.addText(SHEET_DATA, json(sheet)));
  for (const [prefix, folder, names] of [[MODEL_PREFIX, modelFolder, modelFiles], [INDEX_PREFIX, index?.folder ?? '', indexFiles]] as const) {
    for (const file of names) {
      const name = `${prefix}${file}`;
      if (!isSafeName(name)) throw new InputError('share.unsafe-name', `${join(folder, file)}: expected names that every system can write, found ${JSON.stringify(file)}. Remove the file, which Isogloss did not make, and share again.`);
      const changed = await changedText(name, join(folder, file), withTexts);
      await put(name, changed === null ? writer.addFile(name, join(folder, file), onBytes) : writer.addText(name, changed));
    }
  }
  report({ phase: 'finishing', done: total, total, unit: 'bytes' });
  const leftOut = withTexts ? [] : [...TEXT_FILES];
  await writer.addText(PORTABLE_MANIFEST, json(newPortableManifest({ madeBy: sheet.madeBy, madeAt: sheet.madeAt, name: sheet.name, ...project, model: { modelId: sheet.model.modelId, leftOut }, index: index?.facts ?? null, files })));
  return await writer.finish(); // before the writer is disposed of
}

/** What a file is written as when it is not written as it lies there; null: as it is. */
async function changedText(name: string, path: string, withTexts: boolean): Promise<string | null> {
  if (name === `${MODEL_PREFIX}${MANIFEST_FILE}`) {
    const manifest = await readManifest(path.slice(0, -MANIFEST_FILE.length));
    return json({ ...manifest, training: withoutPlaces(manifest.training) }); // recipes of texts, of phrases, settings of baselines
  }
  if (name === `${MODEL_PREFIX}${REPORT_FILE}` && !withTexts) {
    const report = evaluationReportSchema.safeParse(await readJson(path));
    return report.success ? json({ ...report.data, examples: [] }) : json({ rows: [], pairs: [], examples: [] });
  }
  if (name === `${INDEX_PREFIX}${INDEX_MANIFEST}`) return json({ ...Object(JSON.parse(await readFile(path, 'utf8'))), modelFolder: null, documentsFolder: '' });
  return null;
}

const isTextFile = (name: string): boolean => TEXT_FILES.some((file) => file === name);
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Paths of all files below a folder with "/" between, in alphabetical order; hidden ones (half written ones) and links are left out. */
export async function filesBelow(folder: string, prefix = ''): Promise<readonly string[]> {
  const entries = (await readdir(join(folder, prefix), { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) found.push(...(await filesBelow(folder, path)));
    else if (entry.isFile()) found.push(path);
  }
  return found;
}
