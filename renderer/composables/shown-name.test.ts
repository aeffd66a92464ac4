/** Facts about how a name that is not UTF-8 is shown. */
import { describe, expect, it } from 'vitest';
import { nameOfBytes, shownName as shownByCore } from '../../core/base/file-names.ts';
import { shownName } from './shown-name.ts';

describe('a name for people', () => {
  it('has stray bytes in words, as everywhere else in the program, and leaves other letters alone', () => {
    const name = nameOfBytes(Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0xff]));
    expect(shownName(name)).toBe('caf\\xE9\n\\xFF');
    for (const text of [name, 'niño/ŋ\ue000.txt', '', nameOfBytes(Uint8Array.from({ length: 256 }, (_, byte) => byte))]) expect(shownName(text)).toBe(shownByCore(text));
  });
});
