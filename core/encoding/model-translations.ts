/** Which table translates words of one language into another? A model's tables, each opened when it is first asked for. */
import { openTranslationTable, type TranslationTable, type TranslationTableData } from '../alignment/translation-table.ts';
import type { Encoder } from './encoder.ts';

/** The `translation` of an encoder. */
export function modelTranslations(tables: readonly TranslationTableData[]): Encoder['translation'] {
  const opened = new Map<string, TranslationTable>();
  return (source, target) => {
    const key = `${source} ${target}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    const data = tables.find((entry) => entry.sourceLanguage === source && entry.targetLanguage === target);
    if (data === undefined) return null;
    const table = openTranslationTable(data);
    opened.set(key, table);
    return table;
  };
}
