/** Does every name of a file come back to its very bytes, and is it readable? */
import { describe, expect, it } from 'vitest';
import { nameOfBytes, pathOnDisk, shownName } from './file-names.ts';
import { seededRandom } from './random.ts';

describe('a file name', () => {
  it('in UTF-8 is itself', () => {
    for (const name of ['tale.txt', 'ŋọ́ŋ 😀.md', 'كتاب.txt']) {
      expect(nameOfBytes(Buffer.from(name))).toBe(name);
      expect(pathOnDisk(name)).toBe(name);
      expect(shownName(name)).toBe(name);
    }
  });

  it('in another encoding keeps its bytes, and shows them', () => {
    const latin1 = Buffer.from('café.txt', 'latin1');
    const name = nameOfBytes(latin1);
    expect(pathOnDisk(`folder/${name}`)).toEqual(Buffer.concat([Buffer.from('folder/'), latin1]));
    expect(shownName(name)).toBe('caf\\xE9.txt');
    expect(Buffer.from(name).toString('utf8')).toBe(name); // it can be stored as text
  });

  it('of any bytes comes back, also when it has characters of the range that stands for bytes', () => {
    const random = seededRandom(1, 'names');
    const names = Array.from({ length: 300 }, () => Buffer.from(Array.from({ length: 1 + random.integer(12) }, () => 1 + random.integer(255))));
    for (const bytes of [...names, Buffer.from('\uF7E9x'), Buffer.concat([Buffer.from('é\uF700'), Buffer.of(0xff)])]) expect(Buffer.from(pathOnDisk(nameOfBytes(bytes)))).toEqual(bytes);
  });
});
