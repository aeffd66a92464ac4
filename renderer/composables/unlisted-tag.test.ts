/** Does every name of a language give a well-formed private-use tag? */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { privateUseTag } from '../../core/text/language.ts';
import { unlistedTag } from './unlisted-tag.ts';

describe('the tag of an unlisted language', () => {
  it.each([
    ['Kisukuma', 'x-kisukuma'],
    ['Kilakuva of the Shore', 'x-kilakuva-of-the-shore'],
    ['Ñuu Savi', 'x-nuu-savi'],
    ['Mittelniederdeutsch', 'x-mittelni-ederdeut-sch'],
    ['  ', null],
  ])('of "%s" is %s', (name, tag) => {
    expect(unlistedTag(name)).toBe(tag);
  });

  it('is the one that the program itself would make', () => {
    for (const name of ['Kisukuma', 'Ñuu Savi', 'Lake-Shore 2', 'لغتنا', 'ภาษา']) expect(unlistedTag(name)).toBe(privateUseTag(name));
  });

  it('is always well-formed', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), (name) => {
      const tag = unlistedTag(name);
      expect(tag === null ? name.trim() === '' : /^x(-[a-z0-9]{1,8})+$/.test(tag)).toBe(true);
    }));
  });
});
