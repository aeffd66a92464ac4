/** How is something that was found in a corpus said, and what can a person do about it? */
import type { Finding } from '../stores/findings.ts';
import { formatCount, formatTimesInHundred } from './format.ts';
import { hasMessage, t } from './translate.ts';

/** "3 lines left out: the number of columns is another than in the other lines." */
export function findingSentence({ kind, count, share, name }: Finding): string {
  const n = formatCount(count);
  if (kind === 'line-problem') {
    const why = `why.${name.replace(/^corpus\./, '')}`;
    return t('found.line-problem', { n, why: hasMessage(why) ? t(why) : t('why.other') }, count);
  }
  return t(`found.${kind}`, { n: share === null ? n : formatTimesInHundred(share), name: `\u2068${name}\u2069` }, share === null ? count : Math.round(share * HUNDRED));
}

/** '' where there is nothing to be done. */
export function findingAdvice({ kind, name }: Finding): string {
  const key = `found.do-${kind}`;
  return hasMessage(key) ? t(key, { name: `\u2068${name}\u2069` }) : '';
}

const HUNDRED = 100;
