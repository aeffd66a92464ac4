/** Which settings does the form for experts show, each with its value, where that comes from, and whether it can be changed? Made from the table alone. */
import { closedKeys, presetValues, type BroughtShape, type PresetName } from '../../main/contract/recipe-presets.ts';
import { effectiveValues, isSameValue, needsMet, settingsOf, type EncoderKind, type RecipeSetting, type SettingGroup, type SettingValue, type SettingValues } from '../../main/contract/recipe-settings.ts';
import type { TrainingSettings } from '../../main/contract/index.ts';

export type SettingRow = {
  readonly setting: RecipeSetting;
  /** The value that counts; null: none. */
  readonly value: SettingValue | null;
  /** What the preset, or else the recipe, says. */
  readonly usual: SettingValue | null;
  readonly isChanged: boolean;
  /** Open; `needs`: another setting has no value yet; `closed`: this model cannot have it. */
  readonly state: { readonly kind: 'open' } | { readonly kind: 'needs'; readonly key: string } | { readonly kind: 'closed' };
};

export function broughtShape({ backbone }: TrainingSettings): BroughtShape | null {
  return backbone === null ? null : { layers: backbone.facts.layers };
}

/** A row for every setting of the chosen encoder, in the table's order. */
export function settingRows(settings: TrainingSettings, preset: PresetName): readonly SettingRow[] {
  const kind = settings.encoder;
  const brought = broughtShape(settings);
  const said = presetValues({ kind, preset, brought });
  const changed = settings.changed[kind];
  const values = effectiveValues(kind, { preset: said, changed });
  const closed = closedKeys(kind, brought);
  return settingsOf(kind).map((setting) => {
    const { key, needs } = setting;
    return {
      setting,
      value: values.get(key) ?? null,
      usual: said[key] ?? setting.defaults[kind] ?? null,
      isChanged: changed[key] !== undefined,
      state: closed.has(key) ? { kind: 'closed' } : needs !== undefined && !needsMet(key, values) ? { kind: 'needs', key: needs } : { kind: 'open' },
    };
  });
}

/** Rows of the groups, those whose words hold every typed word; groups without one are left out. */
export function foundGroups(rows: readonly SettingRow[], { typed, wordsOf }: { readonly typed: string; readonly wordsOf: (row: SettingRow) => string }): readonly { readonly group: SettingGroup; readonly rows: readonly SettingRow[] }[] {
  const wanted = typed.toLocaleLowerCase().split(/\s+/).filter((word) => word !== '');
  const groups = new Map<SettingGroup, SettingRow[]>();
  for (const row of rows) {
    const words = wordsOf(row).toLocaleLowerCase();
    if (!wanted.every((word) => words.includes(word))) continue;
    const found = groups.get(row.setting.group);
    if (found === undefined) groups.set(row.setting.group, [row]);
    else found.push(row);
  }
  return [...groups].map(([group, found]) => ({ group, rows: found }));
}

/** The settings after one was changed; back to the usual value, it counts as not changed. */
export function withChange(settings: TrainingSettings, { row, value }: { readonly row: SettingRow; readonly value: SettingValue | null }): TrainingSettings {
  const kind = settings.encoder;
  const others = Object.fromEntries(Object.entries(settings.changed[kind]).filter(([key]) => key !== row.setting.key));
  return withChanges(settings, kind, value === null || isSameValue(value, row.usual) ? others : { ...others, [row.setting.key]: value });
}

/** The settings without any change for the chosen encoder. */
export function withoutChanges(settings: TrainingSettings): TrainingSettings {
  return withChanges(settings, settings.encoder, {});
}

function withChanges(settings: TrainingSettings, kind: EncoderKind, values: SettingValues): TrainingSettings {
  return { ...settings, changed: { ...settings.changed, [kind]: values } };
}
