/** How is an advice said in the language of the interface? By its code, with its numbers; the program's English where the code is new. */
import type { Advice } from '../../main/contract/index.ts';
import { formatCount, formatList } from './format.ts';
import { languageName } from './language-names.ts';
import { translateCode } from './translate.ts';

export function adviceWords({ code, message, languages, data }: Omit<Advice, 'blocks'>): string {
  const values = Object.fromEntries(Object.entries(data).map(([place, value]) => [place, typeof value === 'number' ? formatCount(value) : value]));
  const counted = data['pairs'] ?? data['duplicates'];
  return translateCode({
    area: 'advice',
    code,
    fallback: message,
    values: { ...values, language: formatList(languages.map((tag) => languageName(tag))) },
    ...(typeof counted === 'number' ? { count: counted } : {}),
  });
}
