/** Are relatives found from either side, nearest first, whatever the tag says beside the language? */
import { describe, expect, it } from 'vitest';
import { languageKin } from './language-kin.ts';

describe('the relatives of a language', () => {
  it('are found from either side, nearest first, and never the language itself', () => {
    expect(languageKin('suk')).toEqual(['nym']);
    expect(languageKin('nym')).toEqual(['suk']);
    expect(languageKin('hi')[0]).toBe('ur');
    expect(languageKin('ceb').slice(0, 2)).toEqual(['hil', 'war']);
    expect(languageKin('ceb')).not.toContain('ceb');
  });

  it('do not hang on script, region or an older code', () => {
    expect(languageKin('ha-Arab')).toEqual(languageKin('ha'));
    expect(languageKin('sr-Latn-BA')).toEqual(languageKin('sr'));
    expect(languageKin('swh')).toEqual(languageKin('sw'));
  });

  it('of a language that the table does not have, or that no list has, are none', () => {
    expect(languageKin('eu')).toEqual([]);
    expect(languageKin('x-kisukuma')).toEqual([]);
  });
});
