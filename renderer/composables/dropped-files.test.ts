// @vitest-environment happy-dom
/** Do files of dropped folders come, all of them, in order, and without the hidden ones? */
import { describe, expect, it } from 'vitest';
import { droppedFiles } from './dropped-files.ts';

type Tree = { readonly [name: string]: string | Tree };

/** As a browser hands it over: a folder tells its entries in portions of two. */
function entryOf(name: string, content: string | Tree): FileSystemEntry {
  const inner = typeof content === 'string' ? [] : Object.entries(content).map(([own, below]) => entryOf(own, below));
  let told = 0;
  return Object.assign(Object.create(null), {
    name,
    isFile: typeof content === 'string',
    isDirectory: typeof content !== 'string',
    file: (take: (file: File) => void) => take(new File([String(content)], name)),
    createReader: () => ({ readEntries: (take: (entries: readonly FileSystemEntry[]) => void) => take(inner.slice(told, told += 2)) }),
  });
}

const dropOf = (tree: Tree, files: readonly File[]) => ({ files, items: Object.entries(tree).map(([name, content]) => ({ webkitGetAsEntry: () => entryOf(name, content) })) });

describe('what is dropped', () => {
  it('of folders comes all that lies below, by name, without hidden files', async () => {
    const tree: Tree = { texts: { 'c.txt': 'c', 'a.txt': 'a', '.hidden': 'x', 'b.txt': 'b', deeper: { 'd.tmx': 'd' } }, 'e.tsv': 'e' };
    const found = await droppedFiles(dropOf(tree, []) as never); // no browser's list is made of plain objects
    expect(found.map(({ name }) => name)).toEqual(['e.tsv', 'a.txt', 'b.txt', 'c.txt', 'd.tmx']);
    expect(await found[1]?.text()).toBe('a');
  });

  it('of files alone is those files', async () => {
    const file = new File(['a'], 'a.tsv');
    expect(await droppedFiles(dropOf({ 'a.tsv': 'a' }, [file]) as never)).toEqual([file]);
    expect(await droppedFiles({ files: [file] } as never)).toEqual([file]);
  });
});
