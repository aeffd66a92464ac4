/** What can be chosen where a file has several columns, tiers or markers, and how does a choice become a mapping and back? */
import type { CorpusMapping, InspectionDetails } from '../../main/contract/index.ts';

export type Field = InspectionDetails['fields'][number];
type Column = NonNullable<NonNullable<CorpusMapping['columns']>['source']>;
type Tier = NonNullable<CorpusMapping['tiers']>['source'];
export type ColumnPlace = 'source' | 'target' | 'text' | 'score';
export type MarkerPlace = 'record' | 'source' | 'target';
/** One option of a list: `value` for the list, the field's first text beside its name. */
export type FieldChoice = { readonly value: string; readonly name: string; readonly example: string; readonly count: number };

const ofKind = (fields: readonly Field[], kind: Field['kind']): readonly Field[] => fields.filter((field) => field.kind === kind);

/** Columns by their place in the file, so that two of one name are told apart. */
export function columnChoices(fields: readonly Field[]): readonly FieldChoice[] {
  return ofKind(fields, 'column').map(({ name, example, count }, at) => ({ value: String(at + 1), name, example, count }));
}

/** The value of a column in the list, '' for none. */
export function columnValue(column: Column | undefined, fields: readonly Field[]): string {
  if (column === undefined) return '';
  if (typeof column === 'number') return String(column);
  const at = ofKind(fields, 'column').findIndex(({ name }) => name === column);
  return at < 0 ? '' : String(at + 1);
}

/** The mapping with another column at a place; '' takes the column out. Source and target change places where one takes the other's. */
export function withColumn(mapping: CorpusMapping, place: ColumnPlace, value: string, fields: readonly Field[]): CorpusMapping {
  const columns: { -readonly [Place in ColumnPlace]?: Column } = { ...definedColumns(mapping) };
  const before = columns[place];
  const other = place === 'source' ? 'target' : place === 'target' ? 'source' : null;
  if (other !== null && value !== '' && columnValue(columns[other], fields) === value) {
    if (before === undefined) delete columns[other];
    else columns[other] = before;
  }
  if (value === '') delete columns[place];
  else columns[place] = Number(value);
  return { ...mapping, columns };
}

function definedColumns({ columns = {} }: CorpusMapping): { readonly [Place in ColumnPlace]?: Column } {
  const { source, target, text, score } = columns;
  return { ...(source === undefined ? {} : { source }), ...(target === undefined ? {} : { target }), ...(text === undefined ? {} : { text }), ...(score === undefined ? {} : { score }) };
}

const NAME = 'name:';
const TYPE = 'type:';
const ORDER = 'order:';

/** Tiers one by one, and all tiers of a type together where there are several (one for each speaker). */
export function tierChoices(fields: readonly Field[]): { readonly tiers: readonly FieldChoice[]; readonly types: readonly (FieldChoice & { readonly tiers: number })[] } {
  const tiers = ofKind(fields, 'tier');
  const types = new Map<string, Field[]>();
  for (const tier of tiers) if (tier.type !== '') types.set(tier.type, [...(types.get(tier.type) ?? []), tier]);
  return {
    tiers: tiers.map(({ name, example, count }) => ({ value: `${NAME}${name}`, name, example, count })),
    types: [...types].filter(([, own]) => own.length > 1).map(([type, own]) => ({ value: `${TYPE}${type}`, name: type, example: own[0]?.example ?? '', count: own.reduce((sum, { count }) => sum + count, 0), tiers: own.length })),
  };
}

export function tierValue(tier: Tier | undefined): string {
  if (tier === undefined) return '';
  if ('name' in tier) return `${NAME}${tier.name}`;
  return 'type' in tier ? `${TYPE}${tier.type}` : `${ORDER}${String(tier.order)}`;
}

function tierOf(value: string): Tier | null {
  if (value.startsWith(NAME)) return { name: value.slice(NAME.length) };
  if (value.startsWith(TYPE)) return { type: value.slice(TYPE.length) };
  return value.startsWith(ORDER) ? { order: Number(value.slice(ORDER.length)) } : null;
}

/** The mapping with another tier; without a source tier there is no choice at all. */
export function withTier(mapping: CorpusMapping, place: 'source' | 'target', value: string): CorpusMapping {
  const chosen = tierOf(value);
  const { tiers, ...rest } = mapping;
  const source = place === 'source' ? chosen : (tiers?.source ?? null);
  const target = place === 'target' ? chosen : (tiers?.target ?? null);
  if (source === null) return rest;
  return { ...rest, tiers: { source, ...(target === null ? {} : { target }) } };
}

export function markerChoices(fields: readonly Field[]): readonly FieldChoice[] {
  return ofKind(fields, 'marker').map(({ name, example, count }) => ({ value: name, name: `\\${name}`, example, count }));
}

export function withMarker(mapping: CorpusMapping, place: MarkerPlace, value: string): CorpusMapping {
  const chosen = (one: MarkerPlace): string | undefined => (one === place ? (value === '' ? undefined : value) : mapping.markers?.[one]);
  const [record, source, target] = [chosen('record'), chosen('source'), chosen('target')];
  return { ...mapping, markers: { ...(record === undefined ? {} : { record }), ...(source === undefined ? {} : { source }), ...(target === undefined ? {} : { target }) } };
}

export function sheetChoices(fields: readonly Field[]): readonly string[] {
  return ofKind(fields, 'sheet').map(({ name }) => name);
}

/** Another sheet has other columns: what was chosen of them is forgotten. */
export function withSheet(sheet: string): CorpusMapping {
  return { sheet };
}

export function languageChoices(fields: readonly Field[]): readonly string[] {
  return [...new Set(ofKind(fields, 'language').map(({ name }) => name))];
}

/** What the languages of a file can be said to be: what the file itself calls them, and those of the project. */
export function offeredLanguages(fields: readonly Field[], projectTags: readonly string[]): readonly string[] {
  return [...new Set([...languageChoices(fields), ...projectTags])];
}

/** Encodings that field data come in; what a file suggests stands in front. */
const USUAL_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1', 'iso-8859-2', 'windows-1250', 'windows-1251', 'windows-1254', 'windows-1256', 'windows-874', 'macintosh', 'gb18030', 'shift_jis', 'euc-kr'] as const;

export function encodingChoices(now: string, suggested: readonly string[]): readonly string[] {
  return [...new Set([now, ...suggested, ...USUAL_ENCODINGS])].filter((label) => label !== '');
}
