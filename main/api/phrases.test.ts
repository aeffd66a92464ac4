/** Facts about looking phrases up behind the door, with real workers. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { type IsoglossClient, type JobState } from '../contract/index.ts';
import type { Services } from './application.ts';
import { clientWithoutSocket, codeOf, createTestServices } from './test-services.ts';

let home: string;
let services: Services;
let client: IsoglossClient;
let projectId: string;
let projectFolder: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'isogloss-phrases-'));
  services = await createTestServices(home);
  client = clientWithoutSocket(services);
  const project = await client.project.create({ name: 'Words', languages: [{ tag: 'sw', name: null }], parentFolder: null });
  projectId = project.id;
  projectFolder = project.folder;
});

afterAll(async () => {
  await services.close();
  await rm(home, { recursive: true, force: true });
});

const add = async (name: string, content: string): Promise<void> => {
  await mkdir(join(home, 'files'), { recursive: true });
  await writeFile(join(home, 'files', name), content);
  await client.corpus.add({ projectId, paths: [join(home, 'files', name)], role: 'pairs', format: name.endsWith('.lift') ? 'lift' : 'tsv', languages: { kind: 'two', source: 'sw', target: 'en' }, licence: null });
};
const lookUp = (query: string) => client.phrases.lookUp({ projectId, query, limit: 10 });

const LIFT = '<lift version="0.13"><entry id="1"><lexical-unit><form lang="sw"><text>mto</text></form></lexical-unit><sense><gloss lang="en"><text>river</text></gloss><example><form lang="sw"><text>mto ni mpana</text></form><translation><form lang="en"><text>the river is wide</text></form></translation></example></sense></entry></lift>';

describe('the dictionaries of a project', () => {
  it('must be there: sentence pairs are none', async () => {
    expect(await codeOf(lookUp('mto'))).toBe('phrases.no-dictionary');
    await add('sentences.tsv', 'wavuvi huvuka mto mpana kwa mashua\tthe small boat crosses the wide river\n');
    expect(await codeOf(lookUp('mto'))).toBe('phrases.no-dictionary');
  });

  it('are looked into by spelling before a model is trained, by meaning after, each change seen', async () => {
    await add('words.lift', LIFT);
    const before = await lookUp('River');
    expect(before).toMatchObject({ dictionaries: 1, entries: 1, isByMeaning: false, hits: [{ dictionary: 'words.lift', phrase: 'mto', translations: ['river'], match: 'exact', matched: { text: 'river', side: 'translation' }, examples: [{ source: 'mto ni mpana', target: 'the river is wide', from: 'dictionary' }, { source: 'wavuvi huvuka mto mpana kwa mashua', target: null, from: 'texts' }], similarity: null, best: [] }] });
    await add('more.tsv', 'maji safi\tclean water\twanabeba maji safi kutoka kisimani\n');
    await writeModelFolder(join(projectFolder, 'models', 'one'), await testModel());
    await services.projects.change(projectId, (file) => ({ ...file, model: 'models/one' }));
    const after = await lookUp('maji');
    expect(after).toMatchObject({ dictionaries: 2, entries: 2, isByMeaning: true });
    expect(after.hits.map(({ match }) => match)).toEqual(['near', 'near']);
    expect(after.hits[0]).toMatchObject({ phrase: 'maji safi', dictionary: 'more.tsv', examples: [{ source: 'wanabeba maji safi kutoka kisimani', target: null, from: 'dictionary' }] });
    await writeFile(join(home, 'files', 'more.tsv'), 'maji\twater\n');
    expect((await lookUp('maji')).hits[0]).toMatchObject({ phrase: 'maji', match: 'exact', translations: ['water'] });
  });

  it('teach the model their phrases in a job, whose model then reads them, until it is forgotten', async () => {
    const words = Array.from({ length: 24 }, (_, i) => `mto ${'abcdefghijklmnopqrstuvwx'[i] ?? ''}${i}\triver ${i}`);
    await add('many.tsv', `${words.join('\n')}\n`);
    expect(await client.phrases.status({ projectId })).toMatchObject({ canTrain: true, model: null, dictionaries: [{ name: 'words.lift', entries: 1, source: 'sw', target: 'en' }, { name: 'more.tsv' }, { name: 'many.tsv', entries: 24 }] });
    const { id } = await client.job.start({ kind: 'phrases', projectId, resume: false });
    const kinds = new Set<string>();
    let state: JobState | null = null;
    for await (const event of await client.job.watch({ jobId: id })) {
      if (event.kind === 'training') kinds.add(event.event.kind);
      if (event.kind === 'state') state = event.state;
    }
    expect(state).toMatchObject({ status: 'finished', result: { kind: 'phrases', model: { isStale: false, pairs: [{ source: 'sw', target: 'en', heldBack: 2, before: expect.any(Number), after: expect.any(Number) }] } } });
    for (const kind of ['plan', 'step', 'held-back', 'evaluation']) expect(kinds).toContain(kind);
    expect((await client.phrases.status({ projectId })).model?.pairs).toHaveLength(1);
    expect((await lookUp('mto')).hits[0]).toMatchObject({ phrase: 'mto', match: 'exact' });
    await services.projects.change(projectId, (file) => ({ ...file, model: 'models/two' }));
    expect((await client.phrases.status({ projectId })).model?.isStale).toBe(true);
    await client.phrases.forget({ projectId });
    expect((await client.phrases.status({ projectId })).model).toBeNull();
  });

  it('refuse a query of nothing', async () => {
    expect(await codeOf(lookUp('  '))).toBe('contract.refused');
  });
});
