/** Does `inspect` answer with one JSON value, and refuse what it does not know? */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readOptions } from './command.ts';
import { inspectCommand } from './inspect.ts';

const context = { signal: new AbortController().signal, say: (): void => undefined };
const run = (...words: readonly string[]) => inspectCommand.run(readOptions(inspectCommand, words), context);

describe('inspect', () => {
  test('tells format, languages, counts and problems of a table with a mapping, and of what it is compared with', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-inspect-'));
    const [path, against] = [join(folder.path, 'a.csv'), join(folder.path, 'test.tsv')];
    await writeFile(path, 'id,English,Swahili\n1,Where is the boat with books?,Iko wapi mashua ya vitabu?\n2,salt\n');
    await writeFile(against, 'where is the boat with books\tx\n');
    const { json, text } = await run('--path', path, '--against', against, '--mapping', '{"columns":{"source":"Swahili","target":"English"}}');
    expect(json).toMatchObject({ format: 'csv', role: 'parallel', count: 1, problemCount: 1, rows: [['Iko wapi mashua ya vitabu?', 'Where is the boat with books?']], overlaps: [{ isLeak: true, count: 1 }] });
    expect(text).toContain('1 x corpus.column-count');
    expect(text).toContain('would flatter');
  });

  test('fault 2: says where bytes are no text, and which encodings may fit', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-inspect-'));
    const path = join(folder.path, 'a.tsv');
    await writeFile(path, Buffer.from('summer\t\xe9t\xe9\nwindow\tfen\xeatre\ntree\tarbre\n', 'latin1'));
    expect((await run('--path', path)).text).toMatch(/in 2 lines, first in line 1 \(byte 7\), line 2 \(byte 21\)\..*--encoding windows-1252 \(".*été.*fenêtre/);
    expect((await run('--path', path, '--encoding', 'windows-1252')).json).toMatchObject({ count: 3, problemCount: 0, rows: [['summer', 'été'], ['window', 'fenêtre'], ['tree', 'arbre']] });
  });

  test.each([
    [['--role', 'words'], 'cli.unknown-choice'],
    [['--format', 'docx'], 'cli.unknown-choice'],
    [['--mapping', '{"tier": 1}'], 'cli.not-a-mapping'],
    [['--mapping', 'x'], 'cli.not-a-mapping'],
    [[], 'file.missing'],
  ])('refuses %j', async (words, code) => {
    await expect(run('--path', 'no such file', ...words)).rejects.toMatchObject({ code });
  });
});
