/** Are two columns read as pairs, line by line? */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { columnNamed, readColumnPairs } from './table-lines.ts';

it('pairs columns of one table or of two, leaves out empty cells, and says what is missing', async () => {
  using folder = temporaryFolder();
  const [a, b] = [join(folder.path, 'a.tsv'), join(folder.path, 'b.tsv')];
  await writeFile(a, 'one\tmoja\ntwo\tmbili\n\ttatu\n');
  await writeFile(b, 'uno\r\ndos\r\ntres\r\n');
  const never = new AbortController().signal;
  expect(await readColumnPairs({ source: `${a}#2`, target: `${a}#1` }, never)).toEqual([{ source: 'moja', target: 'one' }, { source: 'mbili', target: 'two' }]);
  expect(await readColumnPairs({ source: `${a}#2`, target: `${b}#1` }, never)).toHaveLength(3);
  await expect(readColumnPairs({ source: `${a}#3`, target: `${b}#1` }, never)).rejects.toMatchObject({ code: 'corpus.no-column' });
  await writeFile(b, Buffer.from('uno\nd\xf3s\ntres\n', 'latin1'));
  await expect(readColumnPairs({ source: `${a}#2`, target: `${b}#1` }, never)).rejects.toMatchObject({ code: 'corpus.invalid-bytes', message: expect.stringContaining('line 2') });
  expect([columnNamed('a.tsv#2'), columnNamed('a.tsv'), columnNamed('a.tsv#0')]).toEqual([{ path: 'a.tsv', column: 2 }, null, null]);
});
