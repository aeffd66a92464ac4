/** Does what somebody brings stand among all work, whether it comes in whole or is left on the way? Real workers. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder, type TestFolder } from '../../core/base/test-disks.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import type { BringEvent, Job } from '../contract/index.ts';
import { nodeProcesses } from '../workers/process.ts';
import { createServices, type Services } from './application.ts';
import { bringIn } from './share.ts';

const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let place: TestFolder;
let services: Services;
let brought: string;
let onJob: (job: Job) => void;
const faults: Error[] = [];

beforeEach(async () => {
  place = temporaryFolder();
  onJob = () => undefined;
  brought = join(place.path, 'retriever');
  await writeModelFolder(brought, await testModel());
  services = await createServices({
    mode: 'served', version: '1.2.3', startProcess: nodeProcesses((name) => inRepository(`main/workers/${name}.ts`)),
    folders: { data: join(place.path, 'data'), projects: join(place.path, 'projects') }, home: place.path,
    sampleFolder: inRepository('core/sample'), starterFolder: inRepository('core/training/starter'), systemLanguage: 'en',
    onFault: (error) => faults.push(error), onJob: (job) => onJob(job),
  });
});

afterEach(async () => {
  await services.close();
  place[Symbol.dispose]();
  expect(faults).toEqual([]);
});

describe('what somebody brings', () => {
  it('is listed as work of the project that it becomes, with its progress and its end', async () => {
    const seen: Job[] = [];
    onJob = (job) => seen.push(job);
    const events = await Array.fromAsync<BringEvent>(bringIn(services, { path: brought, name: null }, undefined));
    const last = events.at(-1);
    if (last?.kind !== 'done') throw new Error('It did not come in.');
    expect(services.jobs.list(last.project.id)).toMatchObject([{ request: { kind: 'bring' }, state: { status: 'finished', result: { kind: 'bring' } } }]);
    expect(seen.map(({ state }) => state.status === 'running' && state.progress?.phase)).toContain('unpacking');
  });

  it('is cancelled from the list of all work: nothing of it stays', async () => {
    onJob = ({ id, state }) => {
      if (state.status === 'running' && state.progress === null) services.jobs.act(id, 'cancel');
    };
    await expect(Array.fromAsync(bringIn(services, { path: brought, name: null }, undefined))).rejects.toMatchObject({ family: 'cancellation' });
    expect(services.jobs.list(null)).toMatchObject([{ request: { kind: 'bring' }, state: { status: 'cancelled' } }]);
    expect(await readdir(join(place.path, 'projects'))).toEqual([]);
  });

  it('and is nothing that can be taken in, was never work', async () => {
    await expect(Array.fromAsync(bringIn(services, { path: join(place.path, 'data'), name: null }, undefined))).rejects.toMatchObject({ code: 'share.nothing-there' });
    expect(services.jobs.list(null)).toEqual([]);
  });
});
