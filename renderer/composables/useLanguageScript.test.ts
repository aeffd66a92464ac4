/** Does a language keep who it is when its script is another? */
import { describe, expect, it } from 'vitest';
import { OFFERED_SCRIPTS, tagInScript } from './useLanguageScript.ts';

describe('a tag in another script', () => {
  it('keeps language, region and private use', () => {
    expect(['sw', 'sr-Latn', 'sw-TZ', 'az-Cyrl-AZ', 'x-kisukuma', 'qaa-x-lake-shore', 'und-Latn-x-1w2k'].map((tag) => tagInScript(tag, 'Arab')))
      .toEqual(['sw-Arab', 'sr-Arab', 'sw-Arab-TZ', 'az-Arab-AZ', 'und-Arab-x-kisukuma', 'qaa-Arab-x-lake-shore', 'und-Arab-x-1w2k']);
  });

  it('is offered for every script that can be shown', () => {
    expect(OFFERED_SCRIPTS.length).toBeGreaterThan(40);
    expect(OFFERED_SCRIPTS).toContain('Adlm');
  });
});
