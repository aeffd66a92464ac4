/** Facts about the command line: its output and its end, as a process where that matters. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inRepository, run, runHere } from './test-program.ts';

const documents = inRepository('core/sample/documents');

let folder: string;
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-cli-'));
  const pairs = (await readFile(inRepository('core/sample/parallel.en-sw.tsv'), 'utf8')).trimEnd().split('\n').map((line) => line.split('\t'));
  const [english, swahili] = [0, 1].map((side) => pairs.map((pair) => pair[side] ?? ''));
  await writeFile(at('a.en'), `${english?.slice(0, 100).join('\n') ?? ''}\n`);
  await writeFile(at('a.sw'), `${swahili?.slice(0, 100).join('\n') ?? ''}\n`);
  await writeFile(at('short.sw'), `${swahili?.slice(0, 99).join('\n') ?? ''}\n`);
  await writeFile(at('questions.jsonl'), (english ?? []).map((line, i) => JSON.stringify({ query: line.split(' ').slice(0, 5).join(' '), positive: `${line} ${english?.[i + 1] ?? ''}` })).join('\n'));
  await writeFile(
    at('recipe.json'),
    JSON.stringify({ encoder: { kind: 'static', width: 64, vocabularySize: 2000 }, retrieval: [{ pairs: 'questions.jsonl' }], parallel: [{ path: inRepository('core/sample/parallel.en-sw.tsv'), source: 'en', target: 'sw' }], budget: { steps: 8 } }),
  );
  await writeFile(at('long.json'), (await readFile(at('recipe.json'), 'utf8')).replace('"steps":8', '"steps":100000'));
  await writeFile(at('queries.jsonl'), '{"_id":"q1","text":"boat with books"}\n{"_id":"q2","text":"salt from the lake"}\n');
  await writeFile(at('collection.jsonl'), '{"_id":"d1","title":"","text":"a boat brings books to the island"}\n{"_id":"d2","title":"","text":"how salt is made at the lake"}\n{"_id":"d3","title":"","text":"storks come from far"}\n');
  await writeFile(at('qrels.tsv'), 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\nq9\td1\t1\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a model', () => {
  it('is trained from a recipe: one JSON object on stdout, progress on stderr', async () => {
    const { code, stdout, stderr } = await run(['train', '--recipe', at('recipe.json'), '--out', at('model'), '--threads', '1', '--json']);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    const summary: unknown = JSON.parse(stdout);
    expect(Object.keys(summary as object)).toEqual(['model', 'steps', 'wallSeconds', 'cpuSeconds', 'peakMemoryMB', 'parameters', 'losses']);
    expect(summary).toMatchObject({ model: at('model'), steps: 8 });
    expect(stderr).toMatch(/plan: 8 steps/);
  });

  it('has a report beside it that says what the training changed, as one trained in the window', async () => {
    const report = JSON.parse(await readFile(join(at('model'), 'report.json'), 'utf8')) as { rows: readonly { language: string }[]; pairs: readonly { language: string }[] };
    expect(report.rows.map(({ language }) => language)).toContain('sw');
    expect(report.pairs.map(({ language }) => language)).toEqual(['sw']);
  });

  it('is trained on any device, the CPU where that device is not to be had, and says so', async () => {
    const { code, stdout, stderr } = await runHere(['train', '--recipe', at('recipe.json'), '--out', at('device-model'), '--threads', '1', '--device', 'dml', '--json']);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ model: at('device-model'), steps: 8 });
    expect(stderr).toMatch(/Training on the processor: .*DirectML/);
    expect(await readFile(join(at('device-model'), 'token-table.f16'))).toEqual(await readFile(join(at('model'), 'token-table.f16'))); // the very same calculation
  });

  it('finds the pairs hidden in two texts, with a threshold from a training split', async () => {
    const sides = await Promise.all(['en', 'sw'].map(async (side) => (await readFile(at(`a.${side}`), 'utf8')).trimEnd().split('\n')));
    for (const [split, from, to] of [['train', 0, 50], ['test', 50, 100]] as const) {
      for (const [side, lines] of [['en', sides[0]], ['sw', sides[1]]] as const) await writeFile(at(`${split}.${side}`), `${(lines ?? []).slice(from, to).map((line, i) => `${side}-${String(i)}\t${line}`).join('\n')}\n`);
      await writeFile(at(`${split}.gold`), `${Array.from({ length: 50 }, (_, i) => `sw-${String(i)}\ten-${String(i)}`).join('\n')}\n`);
    }
    const { code, stdout, stderr } = await runHere(['evaluate', '--task', 'bitext', '--model', at('model'), '--source', at('test.sw'), '--target', at('test.en'), '--gold', at('test.gold'), '--train-source', at('train.sw'), '--train-target', at('train.en'), '--train-gold', at('train.gold'), '--json']);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout) as { readonly precision: number; readonly recall: number; readonly F1: number; readonly threshold: number; readonly interval: { readonly low: number; readonly high: number } };
    expect(result.F1).toBeCloseTo((2 * result.precision * result.recall) / (result.precision + result.recall), 10);
    expect(result.F1).toBeGreaterThan(0.3); // chance is 1 in 50; eight steps of training and word translations do more
    expect(result.interval.low).toBeLessThanOrEqual(result.F1);
    expect(result.threshold).toBeGreaterThan(0.5);
  });

  it('finds translations: pairs, accuracy, forward, backward', async () => {
    const { code, stdout, stderr } = await runHere(['evaluate', '--task', 'pairs', '--model', at('model'), '--source', at('a.en'), '--target', at('a.sw'), '--json']);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout) as Record<string, number>;
    expect(Object.keys(result)).toEqual(['pairs', 'accuracy', 'forward', 'backward']);
    expect(result['pairs']).toBe(100);
    expect(result['accuracy']).toBeCloseTo(((result['forward'] ?? 0) + (result['backward'] ?? 0)) / 2);
    expect(result['accuracy']).toBeGreaterThan(0.1); // chance is 0.01
  });

  it('indexes a folder, which is then searched: an array of hits with reasons', async () => {
    const indexed = await run(['index', '--model', at('model'), '--documents', documents, '--index', at('index'), '--json']);
    expect(indexed.code).toBe(0);
    expect(JSON.parse(indexed.stdout)).toMatchObject({ files: 60, failed: [] });
    const { code, stdout } = await run(['search', '--index', at('index'), '--query', 'the boat that brings books', '--k', '3', '--json']);
    expect(code).toBe(0);
    const hits = JSON.parse(stdout) as Record<string, unknown>[];
    expect(hits).toHaveLength(3);
    expect(Object.keys(hits[0] ?? {})).toEqual(['score', 'path', 'location', 'text', 'highlights', 'reasons']);
    expect(hits[0]?.['path']).toBe('en/library-boat.txt');
  });

  it('other than the one that made an index is refused, naming both', async () => {
    const other = JSON.parse(await readFile(at('recipe.json'), 'utf8')) as object;
    await writeFile(at('other.json'), JSON.stringify({ ...other, seed: 2 }));
    expect((await runHere(['train', '--recipe', at('other.json'), '--out', at('other-model'), '--json'])).code).toBe(0);
    const search = await run(['search', '--index', at('index'), '--model', at('other-model'), '--query', 'boat', '--json']);
    expect(search).toMatchObject({ code: 2, stdout: '' });
    expect(search.stderr).toMatch(/made by model .* expected model/);
    const index = await runHere(['index', '--model', at('other-model'), '--documents', documents, '--index', at('index'), '--json']);
    expect(index).toMatchObject({ code: 2, stdout: '' });
  });

  it('in training is cancelled by Ctrl-C: exit 130, and nothing on stdout', async () => {
    let isAsked = false;
    const end = await run(['train', '--recipe', at('long.json'), '--out', at('cancelled'), '--json'], (said, kill) => {
      if (isAsked || !said.includes('plan:')) return;
      isAsked = true;
      kill('SIGINT'); // npm passes on what the terminal has already sent: two signals are one wish
      kill('SIGINT');
    });
    expect(end).toMatchObject({ code: 130, stdout: '' });
    expect(end.stderr).toMatch(/Cancelled\.\n$/);
  });
});

describe('retrieval', () => {
  const files = (): readonly string[] => ['--queries', at('queries.jsonl'), '--collection', at('collection.jsonl'), '--qrels', at('qrels.tsv')];

  it('without a model is measured by BM25, and written as a TREC run', async () => {
    const { code, stdout, stderr } = await runHere(['evaluate', '--task', 'retrieval', ...files(), '--method', 'bm25', '--run', at('run.txt'), '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ method: 'bm25', queries: 2, documents: 3, 'MRR@100': 1, 'MRR@10': 1, 'R@1': 1, 'R@10': 1, 'R@100': 1, 'nDCG@10': 1 });
    expect(await readFile(at('run.txt'), 'utf8')).toMatch(/^q1 Q0 d1 1 [\d.]+ isogloss-bm25\n/);
    expect(stderr).toMatch(/qrels\.tsv.*line 4.*q9/);
  });

  it('with a model is measured by every method', async () => {
    for (const method of ['dense', 'hybrid', 'bm25-char']) {
      const { code, stdout } = await runHere(['evaluate', '--task', 'retrieval', ...files(), '--model', at('model'), '--method', method, '--json']);
      expect({ method, code }).toEqual({ method, code: 0 });
      expect(JSON.parse(stdout)).toMatchObject({ method, queries: 2 });
    }
  });
});

describe('bad input', () => {
  const cases: readonly (readonly [string, () => readonly string[], RegExp])[] = [
    ['an unknown command', () => ['tarin'], /Expected one of train, evaluate, calibrate, mine, index, search/],
    ['an unknown option', () => ['train', '--recipie', 'x'], /--recipie is not an option of this command\. It knows: --recipe --out/],
    ['a word without an option', () => ['search', '--index', 'x', '--query', 'two', 'words'], /found "words"\. Put quotation marks/],
    ['a missing option', () => ['train', '--recipe', 'x'], /--out: expected the folder for the model, found nothing/],
    ['an option without its value', () => ['train', '--recipe'], /recipe/],
    ['a number out of range', () => ['search', '--index', 'x', '--query', 'x', '--k', '0'], /--k: expected a whole number from 1 to 1000, found "0"/],
    ['a word for a number', () => ['train', '--recipe', 'x', '--out', 'y', '--threads', 'all'], /--threads: expected a whole number/],
    ['an unknown method', () => ['search', '--index', 'x', '--query', 'x', '--method', 'magic'], /expected one of hybrid, dense, bm25/],
    ['options that would be ignored', () => ['evaluate', '--task', 'pairs', '--model', 'x', '--source', 'a', '--target', 'b', '--method', 'bm25'], /--method: not used together with pairs/],
    ['a missing recipe', () => ['train', '--recipe', at('none.json'), '--out', at('x')], /none\.json/],
    ['a missing index', () => ['search', '--index', at('none'), '--query', 'x'], /expected an index folder .* found none/],
    ['a missing model', () => ['evaluate', '--task', 'pairs', '--model', at('none'), '--source', at('a.en'), '--target', at('a.sw')], /expected a model folder/],
    ['files of different length', () => ['evaluate', '--task', 'pairs', '--model', at('model'), '--source', at('a.en'), '--target', at('short.sw')], /100.*99|99.*100/],
    ['a bad language tag', () => ['search', '--index', at('index'), '--query', 'x', '--query-language', 'not a tag'], /Expected a language tag/],
  ];

  it.each(cases)('%s: exit 2 with a sentence, and nothing on stdout', async (_name, args, sentence) => {
    const end = await runHere([...args(), '--json']);
    expect({ code: end.code, stdout: end.stdout }).toEqual({ code: 2, stdout: '' });
    expect(end.stderr).toMatch(sentence);
    expect(end.stderr).not.toMatch(/\n\s+at /); // no stack
  });

  it('ends a process as it ends here: the same code, the same words, each in its stream', async () => {
    for (const words of [['tarin'], ['train', '--recipe', at('none.json'), '--out', at('x')], ['search', '--index', at('none'), '--query', 'x'], ['evaluate', '--task', 'pairs', '--model', at('none'), '--source', at('a.en'), '--target', at('a.sw')]]) {
      const end = await run([...words, '--json']);
      expect(end).toEqual(await runHere([...words, '--json']));
      expect(end.code).toBe(2);
    }
  });

  it('in a recipe is told all at once, with places', async () => {
    await writeFile(at('wrong.json'), '{\n "encoder": {"kind": "static", "width": "wide"},\n "paralel": [],\n "parallel": [{"path": "missing.tsv", "source": "en", "target": "sw"}]\n}');
    const { code, stderr } = await runHere(['train', '--recipe', at('wrong.json'), '--out', at('x'), '--json']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/line 2.*width/);
    expect(stderr).toMatch(/line 3.*paralel/);
    expect(stderr).toMatch(/line 4.*missing\.tsv/);
  });

  it('is never mistaken for a question about help', async () => {
    for (const args of [['--help'], ['train', '--help']]) {
      const { code, stdout, stderr } = await runHere(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: npm run -s isogloss -- /);
    }
    expect((await run([])).code).toBe(2);
  });
});
