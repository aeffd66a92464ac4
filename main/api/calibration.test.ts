/** Facts about calibrating a project's model behind the door, with a real worker. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { type IsoglossClient, type JobState } from '../contract/index.ts';
import { tidyCalibrated } from '../project/calibration.ts';
import type { Services } from './application.ts';
import { clientWithoutSocket, codeOf, createTestServices } from './test-services.ts';

let home: string;
let services: Services;
let client: IsoglossClient;
let projectId: string;
let folder: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'isogloss-calibration-'));
  services = await createTestServices(home);
  client = clientWithoutSocket(services);
  ({ id: projectId, folder } = await client.project.create({ name: 'Words', languages: [{ tag: 'sw', name: null }], parentFolder: null }));
});

afterAll(async () => {
  await services.close();
  await rm(home, { recursive: true, force: true });
});

const steps = { shift: true, scale: true, rotate: 'none' } as const;

async function calibrated(): Promise<JobState | null> {
  const { id } = await client.job.start({ kind: 'calibrate', projectId, steps });
  let state: JobState | null = null;
  for await (const event of await client.job.watch({ jobId: id })) if (event.kind === 'state') state = event.state;
  return state;
}

describe('calibration of a project', () => {
  it('needs a model, makes one beside it, and changes nothing before it is taken into use', async () => {
    expect(await client.calibration.status({ projectId })).toEqual({ canCalibrate: false, hasPairs: false, calibration: null });
    expect(await codeOf(client.job.start({ kind: 'calibrate', projectId, steps }))).toBe('calibration.no-model');
    expect(await codeOf(client.calibration.use({ projectId, use: true }))).toBe('calibration.none');
    await writeModelFolder(join(folder, 'models', 'model-1'), await testModel(), { 'held-out.json': JSON.stringify({ pairs: [], questions: null }) });
    const words = ['mto', 'maji', 'nyumba', 'mashua', 'kilima', 'kisima', 'mvua', 'mpana', 'kubwa', 'safi', 'juu', 'baada'];
    await writeFile(join(home, 'pairs.tsv'), words.map((word, i) => `the wide river ${i}\t${word} mpana ${i}\n`).join(''));
    await client.corpus.add({ projectId, paths: [join(home, 'pairs.tsv')], role: 'pairs', format: 'tsv', languages: { kind: 'two', source: 'en', target: 'sw' }, licence: null });
    await services.projects.change(projectId, (file) => ({ ...file, model: 'models/model-1' }));
    const before = await readFile(join(folder, 'models', 'model-1', 'model.json'), 'utf8');

    const state = await calibrated();
    expect(state).toMatchObject({ status: 'finished', result: { kind: 'calibrate', calibration: { inUse: false, steps, pivot: 'en', heldOut: [{ source: 'en', target: 'sw', pairs: 2, before: { accuracy: expect.any(Number) }, after: { accuracy: expect.any(Number) } }] } } });
    expect((await services.projects.get(projectId)).file.model).toBe('models/model-1');
    expect(await readFile(join(folder, 'models', 'model-1', 'model.json'), 'utf8')).toBe(before);
    expect(await client.calibration.status({ projectId })).toMatchObject({ canCalibrate: true, hasPairs: true, calibration: { inUse: false } });
  });

  it('is taken into use and put back', async () => {
    const plain = (await client.project.result({ projectId }));
    await client.calibration.use({ projectId, use: true });
    const used = (await services.projects.get(projectId)).file.model ?? '';
    expect(used).toMatch(/^models\/calibrated-\d+$/);
    expect(await client.calibration.status({ projectId })).toMatchObject({ calibration: { inUse: true } });
    const result = await client.project.result({ projectId });
    expect(result.status === 'ready' && plain.status === 'ready' && result.model.modelId !== plain.model.modelId).toBe(true);
    expect(result.status === 'ready' ? result.report : null).not.toBeNull(); // measured like any other model
    await client.calibration.use({ projectId, use: false });
    expect((await services.projects.get(projectId)).file.model).toBe('models/model-1');
  });

  it('goes when another has taken its place', async () => {
    const names = async (): Promise<string[]> => (await readdir(join(folder, 'models'))).filter((name) => name.startsWith('calibrated-'));
    const [kept = ''] = await names();
    await mkdir(join(folder, 'models', 'calibrated-1'));
    expect(await names()).toHaveLength(2);
    await tidyCalibrated(folder, [join(folder, 'models', kept), null]);
    expect(await names()).toEqual([kept]);
  });
});
