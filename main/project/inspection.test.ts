/** Are the languages that a file names those of the project? */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { inspectCorpus } from '../../core/corpus/inspect.ts';
import type { CorpusLanguages } from '../contract/index.ts';
import { describeInspection } from './inspection.ts';

async function languagesOf(tags: readonly string[], projectLanguages: readonly string[]): Promise<CorpusLanguages | null> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'memory.tmx');
  const unit = tags.map((tag) => `<tuv xml:lang="${tag}"><seg>a sentence in ${tag}</seg></tuv>`).join('');
  await writeFile(path, `<tmx version="1.4"><header/><body><tu>${unit}</tu></body></tmx>`);
  const found = await inspectCorpus({ paths: [path] }, new AbortController().signal);
  const told = describeInspection({ paths: [path], found, chosen: null, projectLanguages, sizeBytes: 1 });
  return told.status === 'readable' ? told.languages : null;
}

describe('the languages of a translation memory', () => {
  it('are those of the project where only the region differs', async () => {
    expect(await languagesOf(['en-GB', 'sw-TZ'], ['sw', 'en'])).toEqual({ kind: 'two', source: 'en', target: 'sw' });
  });

  it('stay what the file says where the project has that very one, or none like it', async () => {
    expect(await languagesOf(['en-GB', 'fr'], ['sw', 'en'])).toEqual({ kind: 'two', source: 'en', target: 'fr' });
    expect(await languagesOf(['pt-BR', 'fr'], ['pt-PT', 'pt-BR', 'en'])).toEqual({ kind: 'two', source: 'pt-BR', target: 'fr' });
  });
});
