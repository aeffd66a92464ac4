/** Does a shared file hold the model, its sheet and nothing private, and is a file that was tampered with refused without harm? */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { createZipWriter } from '../../core/formats/zip-writer.ts';
import { openZip } from '../../core/formats/zip.ts';
import { NO_SPELLING_RULES } from '../contract/index.ts';
import { lookAtBrought } from './brought.ts';
import { makeDataSheet, sheetPage, withoutPlaces } from './data-sheet.ts';
import { isSafeName, newPortableManifest, parsePortableManifest, type PortableManifest } from './portable-file.ts';
import { lookIntoPortable, unpackPortable } from './read-portable.ts';
import { writePortable } from './write-portable.ts';

const calm = new AbortController().signal;
const quiet = (): void => undefined;
const project = { languages: ['sw'], names: {}, bridge: 'en', spelling: NO_SPELLING_RULES, exampleQueries: [{ text: 'maji', language: 'sw' }] };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const RECIPE = {
  parallel: [{ path: '/media/amina/secret folder/bible.tsv', source: 'en', target: 'sw', terms: { source: 'Community archive', licence: 'CC BY-NC 4.0', consent: 'given', access: 'registered' } }],
  monolingual: [{ path: '/media/amina/stories.txt', language: 'sw' }],
  seed: 7,
};

/** A model with a report and held-back sentences, as training leaves it. */
async function makeModel(folder: string): Promise<void> {
  const model = await testModel({ training: { recipe: RECIPE, seed: 7, steps: 3, wallSeconds: 60, device: 'cpu', starter: 'shipped', phrases: { recipe: { start: { model: '/media/amina/older' }, training: [{ pairs: '/media/amina/secret folder/words.lift', source: 'en', target: 'sw' }] } } } });
  await writeModelFolder(folder, model, { 'held-out.json': '{"pairs":[{"source":"a private sentence"}]}' });
  const methods = Object.fromEntries(['untrained', 'bm25', 'dense', 'hybrid'].map((name, i) => [name, { 'MRR@100': 0.2 * i, 'MRR@10': 0, 'R@1': 0.2 * i, 'R@10': 0, 'R@100': 0, 'nDCG@10': 0 }]));
  await writeFile(join(folder, 'report.json'), JSON.stringify({ rows: [{ question: 'to-english', language: 'sw', queries: 40, documents: 40, methods }], pairs: [], examples: [{ kind: 'best', language: 'sw', query: 'a private question', expected: 'x', found: 'x', rankBefore: 4, rankNow: 1 }] }));
}

const sheetFor = (modelFolder: string, texts: boolean) => makeDataSheet({ modelFolder, name: 'Ziwa | search', languageName: (tag) => (tag === 'sw' ? 'Kiswahili' : tag), records: new Map([['bible.tsv', 1512]]), madeAt: 1_700_000_000_000, madeBy: 'Isogloss 0.1.0', contents: { texts, index: null } });

async function shareInto(folder: string, { texts }: { readonly texts: boolean }): Promise<string> {
  const modelFolder = join(folder, 'made');
  await makeModel(modelFolder);
  const out = join(folder, `shared-${String(texts)}.isogloss`);
  expect(await writePortable({ out, sheet: await sheetFor(modelFolder, texts), modelFolder, index: null, project, signal: calm, report: quiet })).toBeGreaterThan(1000);
  return out;
}

describe('a portable file', () => {
  it('becomes the same model elsewhere, with its sheet', async () => {
    using place = temporaryFolder();
    const out = await shareInto(place.path, { texts: true });
    expect(await lookAtBrought(out, calm)).toMatchObject({ kind: 'portable', name: 'Ziwa | search', sheet: { corpora: [{ name: 'bible.tsv', records: 1512 }, { name: 'stories.txt', records: null }, { licence: 'CC BY-SA 4.0' }] } });
    const phases = new Set<string>();
    const { manifest } = await unpackPortable({ path: out, folder: join(place.path, 'elsewhere'), signal: calm, report: ({ phase }) => phases.add(phase) });
    expect([...phases]).toEqual(['unpacking', 'finishing']);
    expect(manifest).toMatchObject(project);
    const [before, after] = [await openEncoder(join(place.path, 'made')), await openEncoder(join(place.path, 'elsewhere', 'model'))];
    expect(after.modelId).toBe(before.modelId);
    expect(await after.encode(['maji safi'], 'query')).toEqual(await before.encode(['maji safi'], 'query'));
    expect((await readdir(join(place.path, 'elsewhere', 'model'))).sort()).toEqual((await readdir(join(place.path, 'made'))).sort());
  });

  it('names no folder of the machine it was made on, and no sentence that was to stay', async () => {
    using place = temporaryFolder();
    const [open, kept] = [await shareInto(place.path, { texts: true }), await shareInto(place.path, { texts: false })];
    const textOf = async (path: string): Promise<string> => {
      const archive = await openZip(path, calm, { area: 'share' });
      const texts = await Promise.all(archive.entries.filter(({ name }) => /\.(json|md)$/.test(name)).map(async ({ name }) => Buffer.from(await archive.read(name)).toString()));
      archive.close();
      return texts.join('\n');
    };
    expect(await textOf(open)).toContain('a private sentence');
    for (const path of [open, kept]) expect(await textOf(path)).not.toMatch(/amina|secret folder/);
    expect(await textOf(kept)).not.toContain('private');
    const unpacked = join(place.path, 'elsewhere');
    await unpackPortable({ path: kept, folder: unpacked, signal: calm, report: quiet });
    expect((await openEncoder(join(unpacked, 'model'))).modelId).toBe((await openEncoder(join(place.path, 'made'))).modelId);
    expect(JSON.parse(await readFile(join(unpacked, 'model', 'report.json'), 'utf8'))).toMatchObject({ rows: [{ queries: 40 }], examples: [] });
  });

  it('says the strictest terms, the starter among them, and what was measured', async () => {
    using place = temporaryFolder();
    await makeModel(join(place.path, 'made'));
    const sheet = await sheetFor(join(place.path, 'made'), false);
    expect(sheet.terms).toMatchObject({ licence: 'unknown', consent: 'unknown', access: 'closed', because: { licence: ['stories.txt'] } });
    expect(sheet).toMatchObject({ usesStarter: true, model: { kind: 'static', seed: 7, steps: 3, minutes: 1 }, recipe: { parallel: [{ path: 'bible.tsv' }] } });
    const page = sheetPage(sheet);
    expect(page).toMatch(/\| bible\.tsv \| pairs \| en, Kiswahili \| 1,512 \| Community archive \| CC BY-NC 4\.0 \| given \| registered \|/);
    expect(page).toMatch(/\| English starter .* CC BY-SA 4\.0/);
    expect(page).toMatch(/\| Kiswahili \| question in this language, passage in the bridge language \| 40 \| 0 \| 20 \| 40 \| 60 \|/);
    expect(page).toContain('no sentences of the texts: they were left out');
  });
});

const NO_MODEL = '{"format":"isogloss-model","version":1}';

describe('a file that is not what it says', () => {
  type Change = { readonly files?: Readonly<Record<string, string>>; readonly manifest?: (manifest: PortableManifest) => unknown; readonly drop?: string };

  /** The shared file again, with something in it changed. */
  async function tampered(folder: string, { files = {}, manifest = (same) => same, drop }: Change): Promise<string> {
    const archive = await openZip(await shareInto(folder, { texts: true }), calm, { area: 'share' });
    const path = join(folder, 'tampered.isogloss');
    await using writer = await createZipWriter(path, calm);
    for (const { name } of archive.entries) {
      if (name === 'isogloss.json' || name === drop) continue;
      await writeFile(join(folder, 'part'), files[name] ?? (await archive.read(name)));
      await writer.addFile(name, join(folder, 'part'));
    }
    for (const [name, text] of Object.entries(files)) if (!archive.has(name)) await writer.addText(name, text);
    await writer.addText('isogloss.json', JSON.stringify(manifest(parsePortableManifest(Buffer.from(await archive.read('isogloss.json')).toString(), path))));
    await writer.finish();
    archive.close();
    return path;
  }

  const refused: readonly (readonly [string, Change, string])[] = [
    ['other bytes under a sum', { files: { 'model/token-weights.f32': 'no weights at all' } }, 'share.damaged'],
    ['a file that is missing', { drop: 'model/whitening.f32' }, 'share.damaged'],
    ['a file that nobody named', { files: { 'model/extra.sh': 'rm -rf' } }, 'share.not-portable'],
    ['a sheet that is not the one', { files: { 'data-sheet.json': '{}' } }, 'share.damaged'],
    ['a newer version', { manifest: (manifest) => ({ ...manifest, version: 2 }) }, 'share.newer-version'],
    ['no format', { manifest: () => ({ hello: 1 }) }, 'share.not-portable'],
    ['a path that leaves', { manifest: (manifest) => ({ ...manifest, files: { ...manifest.files, 'model/../../escape': { sha256: sha256(''), sizeBytes: 0 } } }) }, 'share.unsafe-name'],
    ['one name in two cases', { manifest: (manifest) => ({ ...manifest, files: { ...manifest.files, 'MODEL/model.json': { sha256: sha256(''), sizeBytes: 0 } } }) }, 'share.unsafe-name'],
    ['a model of other files than it says', { files: { 'model/model.json': NO_MODEL }, manifest: (manifest) => ({ ...manifest, files: { ...manifest.files, 'model/model.json': { sha256: sha256(NO_MODEL), sizeBytes: NO_MODEL.length } } }) }, 'model.not-a-model'],
  ];
  it.each(refused)('%s is refused', async (_, change, code) => {
    using place = temporaryFolder();
    await expect(unpackPortable({ path: await tampered(place.path, change), folder: join(place.path, 'elsewhere'), signal: calm, report: quiet })).rejects.toMatchObject({ family: 'input', code });
    expect(await readdir(place.path)).not.toContain('escape');
  });

  it('a text, an empty folder and a model of another program are told apart', async () => {
    using place = temporaryFolder();
    await writeFile(join(place.path, 'a.isogloss'), 'just words');
    await expect(lookIntoPortable(join(place.path, 'a.isogloss'), calm)).rejects.toMatchObject({ code: 'share.damaged-zip' });
    await expect(lookAtBrought(place.path, calm)).rejects.toMatchObject({ code: 'share.nothing-there', message: expect.stringContaining('a.isogloss') as string });
    await mkdir(join(place.path, 'bert'));
    await writeFile(join(place.path, 'bert', 'config.json'), '{}');
    expect(await lookAtBrought(join(place.path, 'bert'), calm)).toEqual({ kind: 'backbone', path: join(place.path, 'bert') });
    await makeModel(join(place.path, 'mine'));
    expect(await lookAtBrought(join(place.path, 'mine'), calm)).toMatchObject({ kind: 'model', name: 'mine', languages: ['sw'] });
    await expect(lookAtBrought(join(place.path, 'none'), calm)).rejects.toMatchObject({ code: 'file.missing' });
  });

  it('cancelling leaves no file and says so', async () => {
    using place = temporaryFolder();
    const modelFolder = join(place.path, 'made');
    await makeModel(modelFolder);
    const abort = new AbortController();
    const work = writePortable({ out: join(place.path, 'out.isogloss'), sheet: await sheetFor(modelFolder, true), modelFolder, index: null, project, signal: abort.signal, report: () => abort.abort() });
    await expect(work).rejects.toMatchObject({ family: 'cancellation' });
    expect(await readdir(place.path)).toEqual(['made']);
  });
});

describe('names inside a file', () => {
  it('are plain, below model or index, and possible on every system', () => {
    for (const name of ['model/model.json', 'model/backbone/1_Pooling/config.json', 'index/store/chunks.lance/data/a-b_c.lance', 'model/translations.en-sw.json', 'data-sheet.md', 'index/_versions/1.manifest']) expect(isSafeName(name), name).toBe(true);
    for (const name of ['model', 'model/', '../x', 'model/../x', '/model/x', 'model//x', 'C:/x', 'model/a:b', 'model/con', 'model/NUL.txt', 'model/a.', 'model/.hidden', 'other/x', 'model/a\\b', `model/${'x'.repeat(300)}`]) expect(isSafeName(name), name).toBe(false);
  });

  it('of a recipe lose their folders, on every system', () => {
    expect(withoutPlaces({ a: ['/x/y/z.tsv', 'C:\\Users\\me\\q.tsv', 'sw', 3, null, '\\\\server\\share\\t.txt'] })).toEqual({ a: ['z.tsv', 'q.tsv', 'sw', 3, null, 't.txt'] });
    expect(newPortableManifest({ ...project, name: 'a', madeAt: 0, madeBy: 'x', model: { modelId: 'm', leftOut: [] }, index: null, files: {} })).toMatchObject({ format: 'isogloss-portable', version: 1 });
  });
});
