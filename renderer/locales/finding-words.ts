/** How is something that was found in a corpus said, and what can a person do about it? */
import type { Finding } from '../stores/findings.ts';
import { formatCount, formatTimesInHundred } from './format.ts';
import { hasMessage, interfaceLanguage, t, translateCode } from './translate.ts';

/** "3 lines left out: the number of columns is another than in the other lines." */
export function findingSentence({ kind, count, share, name }: Finding): string {
  const n = formatCount(count);
  if (kind === 'line-problem') {
    const why = `why.${name.replace(/^corpus\./, '')}`;
    return t('found.line-problem', { n, why: hasMessage(why) ? t(why) : t('why.other') }, count);
  }
  return t(`found.${kind}`, { n: share === null ? n : formatTimesInHundred(share), name: `\u2068${name}\u2069` }, share === null ? count : Math.round(share * HUNDRED));
}

/** Why a line or file was left out, for those who do not read the program's own English sentence; '' where that says it, or nothing else is known. */
export function whyLeftOut(code: string): string {
  if (interfaceLanguage() === 'en') return '';
  const why = `why.${code.replace(/^corpus\./, '')}`;
  return hasMessage(why) ? t(why) : translateCode({ area: 'problem', code, fallback: '' });
}

/** '' where there is nothing to be done. */
export function findingAdvice({ kind, name }: Finding): string {
  const key = `found.do-${kind}`;
  return hasMessage(key) ? t(key, { name: `\u2068${name}\u2069` }) : '';
}

const HUNDRED = 100;
