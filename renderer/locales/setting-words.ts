/** How are the settings of a recipe, their values and their faults said? By their place in the recipe; the words stand in the locale files. */
import type { DeviceNote } from '../../main/contract/index.ts';
import type { SettingProblem } from '../../main/contract/recipe-checks.ts';
import { settingName, type RecipeSetting, type SettingForm, type SettingGroup, type SettingValue, type ValueFault } from '../../main/contract/recipe-settings.ts';
import { formatBytes, formatLocale } from './format.ts';
import { languageName } from './language-names.ts';
import { hasMessage, t } from './translate.ts';

const DECIMALS = 10;
const BYTES_PER_MEGABYTE = 1_000_000;

function words(key: string, fallback: string, values: Readonly<Record<string, string | number>> = {}): string {
  return hasMessage(key) ? t(key, values) : fallback;
}

/** What a setting is called, and what it does in one sentence. */
export function settingWords(key: string): { readonly name: string; readonly meaning: string } {
  return { name: words(`setting.${settingName(key)}`, key), meaning: words(`meaning.${settingName(key)}`, '') };
}

export function groupWords(group: SettingGroup): string {
  return words(`group.${group}`, group);
}

export function optionWords(option: string): string {
  return words(`option.${option}`, option);
}

/** "en sw" -> "English–Swahili". */
export function connectionWords(connection: string): string {
  return connection.split(' ').map((tag) => languageName(tag)).join('–');
}

/** A number as it is written here, with as many digits as it has. */
export function formatSetting(value: number): string {
  return new Intl.NumberFormat(formatLocale(), { maximumFractionDigits: DECIMALS }).format(value);
}

/** A value in words; null: nothing, or what the model itself has. */
export function valueWords(setting: RecipeSetting, value: SettingValue | null): string {
  if (value === null) return t(setting.key.startsWith('encoder/pooling/') ? 'expert.own' : 'expert.none');
  if (typeof value === 'boolean') return t(value ? 'expert.on' : 'expert.off');
  if (typeof value === 'number') return formatSetting(value);
  if (typeof value === 'string') return setting.form.kind === 'language' ? languageName(value) : setting.form.kind === 'choice' ? optionWords(value) : value;
  return value.map((one) => (setting.form.kind === 'connections' ? connectionWords(one) : optionWords(one))).join(', ');
}

/** Why a typed value cannot be taken. */
export function faultWords(form: SettingForm, fault: ValueFault): string {
  if (form.kind !== 'number') return t(fault === 'none-chosen' ? 'expert.fault-none-chosen' : 'expert.fault-not-an-option');
  const limits = { least: formatSetting(form.least), most: formatSetting(form.most) };
  switch (fault) {
    case 'too-small':
      return t(form.isAbove === true ? 'expert.fault-too-small-above' : 'expert.fault-too-small', limits);
    case 'too-large':
      return t('expert.fault-too-large', limits);
    case 'not-whole':
      return t('expert.fault-not-whole');
    default:
      return t('expert.fault-not-a-number');
  }
}

/** Why a set-up cannot be trained. */
export function problemWords({ code, message, data }: SettingProblem): string {
  const values = Object.fromEntries(Object.entries(data).map(([name, value]) => {
    if (code === 'too-little-memory' && typeof value === 'number') return [name, formatBytes(value * BYTES_PER_MEGABYTE)];
    if (name === 'setting' && typeof value === 'string') return [name, settingWords(value).name];
    return [name, typeof value === 'number' ? formatSetting(value) : value];
  }));
  return words(`conflict.${code}`, message, values);
}

/** Which device was chosen and why, in one sentence. */
export function deviceWords({ code, message, data }: DeviceNote): string {
  const said = code.replace('device.', '');
  const card = String(data['card'] ?? '');
  return words(`device.said-${said === 'asked' && card === 'cpu' ? 'processor' : said}`, message, { ...data, card: words(`device.${card}`, card) });
}
