/** Where does a passage stand, in words? Page, verse, time, row, slide, speaker: whatever its source has. */
import type { Location } from '../../main/contract/index.ts';
import { formatCount, formatDecimal } from '../locales/format.ts';
import { t } from '../locales/translate.ts';

const SECOND_MS = 1_000;
const SECONDS_PER_MINUTE = 60;
const MINUTES_PER_HOUR = 60;

/** 83_500 -> "1:23.5", in Spanish "1:23,5"; hours only where there are some. */
export function formatClock(timeMs: number): string {
  const tenths = Math.round(timeMs / (SECOND_MS / 10));
  const seconds = (tenths / 10) % SECONDS_PER_MINUTE;
  const minutes = Math.floor(tenths / 10 / SECONDS_PER_MINUTE);
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  const clock = [hours > 0 ? String(minutes % MINUTES_PER_HOUR).padStart(2, '0') : String(minutes), formatDecimal(seconds, 1).padStart(4, '0')];
  return [...(hours > 0 ? [String(hours)] : []), ...clock].join(':');
}

/** The parts of a place, the most telling first; a line is named only where nothing better is known. */
export function placeWords({ line, row, paragraph, page, verse, timeMs, speaker, tier, sheet, slide }: Location): readonly string[] {
  const found = [
    ...(verse === null ? [] : [verse]),
    ...(timeMs === null ? [] : [t('search.time', { from: formatClock(timeMs.start), to: formatClock(timeMs.end) })]),
    ...(page === null ? [] : [t('search.page', { page: formatCount(page) })]),
    ...(paragraph === null || page !== null || row !== null ? [] : [t('search.paragraph', { paragraph: formatCount(paragraph) })]),
    ...(slide === null ? [] : [t('search.slide', { slide: formatCount(slide) })]),
    ...(sheet === null ? [] : [sheet]),
    ...(row === null ? [] : [t('search.row', { row: formatCount(row) })]),
    ...(speaker === null ? [] : [t('search.speaker', { speaker: `\u2068${speaker}\u2069` })]),
    ...(tier === null ? [] : [t('search.tier', { tier: `\u2068${tier}\u2069` })]),
  ];
  return line === null || line === 0 || verse !== null || timeMs !== null || page !== null || slide !== null ? found : [t('search.line', { line: formatCount(line) }), ...found];
}
