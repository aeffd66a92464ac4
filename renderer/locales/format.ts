/** How are numbers, times and sizes said? In words a person would use, in the locale of the interface. */
import { interfaceLanguage, t } from './translate.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MINUTES_PER_HOUR = 60;
/** Below this many seconds a time is "a few seconds"; above 90 it is said in minutes. */
const FEW_SECONDS = 10;
const SECONDS_AS_MINUTES = 90;
const BYTES_PER_MEGABYTE = 1_000_000;
const MEGABYTES_PER_GIGABYTE = 1_000;
const HUNDRED = 100;
const ROUND_SECONDS_TO = 5;

/**
 * The locale in which numbers and dates are written: the reader's own region of the interface language where the browser names it
 * (Mexico writes 1,512.5 and Argentina 1.512,5), with the digits that the messages themselves use.
 */
export function formatLocale(wishes: readonly string[] = navigator.languages): string {
  const language = interfaceLanguage();
  const regional = wishes.find((wish) => wish.split('-')[0] === language) ?? language;
  const known = locales.get(regional);
  if (known !== undefined) return known;
  const locale = new Intl.Locale(regional, { numberingSystem: 'latn' }).toString();
  locales.set(regional, locale);
  return locale;
}

/** Making a locale or a number format takes longer than using it a hundred times, and tables of curves use thousands. */
const locales = new Map<string, string>();
const numberFormats = new Map<string, Intl.NumberFormat>();

function numberFormat(decimals: number | null): Intl.NumberFormat {
  const locale = formatLocale();
  const key = `${locale} ${String(decimals)}`;
  const known = numberFormats.get(key);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat(locale, decimals === null ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  numberFormats.set(key, format);
  return format;
}

/** A whole number with the group marks of the locale: 1512 -> "1,512". */
export function formatCount(count: number): string {
  return numberFormat(null).format(Math.round(count));
}

/** A number with a fixed number of decimals: 0.5 -> "0.50". */
export function formatDecimal(value: number, decimals: number): string {
  return numberFormat(decimals).format(value);
}

/** A length of time in words, rounded as a person would: "a few seconds", "about 40 seconds", "about 4 minutes", "about 1 hour 10 minutes". */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, durationMs / SECOND_MS);
  if (seconds < FEW_SECONDS) return t('duration.few-seconds');
  if (seconds < SECONDS_AS_MINUTES) {
    const rounded = Math.round(seconds / ROUND_SECONDS_TO) * ROUND_SECONDS_TO;
    return t('duration.seconds', { n: formatCount(rounded) }, rounded);
  }
  const minutes = Math.round(durationMs / MINUTE_MS);
  if (minutes < MINUTES_PER_HOUR) return t('duration.minutes', { n: formatCount(minutes) }, minutes);
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  const rest = minutes - hours * MINUTES_PER_HOUR;
  const hoursText = t('duration.hours', { n: formatCount(hours) }, hours);
  return rest === 0 ? hoursText : t('duration.hours-minutes', { hours: hoursText, minutes: formatCount(rest) }, rest);
}

/** A size in words: "820 MB", "1.2 GB". */
export function formatBytes(sizeBytes: number): string {
  const megabytes = sizeBytes / BYTES_PER_MEGABYTE;
  if (megabytes < 1) return t('size.kilobytes', { n: formatCount(Math.max(1, (sizeBytes / BYTES_PER_MEGABYTE) * MEGABYTES_PER_GIGABYTE)) });
  if (megabytes < MEGABYTES_PER_GIGABYTE) return t('size.megabytes', { n: formatCount(megabytes) });
  return t('size.gigabytes', { n: formatDecimal(megabytes / MEGABYTES_PER_GIGABYTE, 1) });
}

/** A share between 0 and 1 as times in a hundred: 0.614 -> "61". Below one but above none is "fewer than 1" in the sentence around it. */
export function formatTimesInHundred(share: number): string {
  return formatCount(share * HUNDRED);
}

/** A moment in the past in words: "3 minutes ago", "yesterday". */
export function formatAgo(options: { readonly thenMs: number; readonly nowMs: number }): string {
  const relative = new Intl.RelativeTimeFormat(formatLocale(), { numeric: 'auto' });
  const agoMs = options.nowMs - options.thenMs;
  const HOURS_PER_DAY = 24;
  if (agoMs < MINUTE_MS) return relative.format(0, 'second');
  if (agoMs < HOUR_MS) return relative.format(-Math.round(agoMs / MINUTE_MS), 'minute');
  if (agoMs < HOURS_PER_DAY * HOUR_MS) return relative.format(-Math.round(agoMs / HOUR_MS), 'hour');
  return relative.format(-Math.round(agoMs / (HOURS_PER_DAY * HOUR_MS)), 'day');
}

/** A moment as a short date and time: "20/11/2026 17:05" in French, "11/20/26, 5:05 PM" in American English. */
export function formatMoment(atMs: number): string {
  return new Intl.DateTimeFormat(formatLocale(), { dateStyle: 'short', timeStyle: 'short' }).format(atMs);
}

/** A list in words: "a, b and c". */
export function formatList(parts: readonly string[]): string {
  return new Intl.ListFormat(interfaceLanguage(), { type: 'conjunction' }).format(parts);
}
