/** How do tests make Office packages? As few parts as a reader needs. */
import type { TestEntry } from './test-archives.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A part that lists relations: [id, last word of the type, target] each. */
export function relationsPart(name: string, relations: readonly (readonly [string, string, string])[]): TestEntry {
  return { name, content: `<Relationships>${relations.map(([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`).join('')}</Relationships>` };
}

/** The parts every package begins with. */
export function packageParts(main: string, contentType: string): readonly TestEntry[] {
  return [
    { name: '[Content_Types].xml', content: `<Types><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${contentType}.main+xml"/></Types>` },
    relationsPart('_rels/.rels', [['r1', 'officeDocument', main]]),
  ];
}

/** A workbook; `rows` is the inside of <sheetData>, `shared` the <si> elements. Cell style 1 is a date, 2 a time. */
export function makeWorkbook(sheets: readonly { readonly name: string; readonly state?: string; readonly rows: string }[], shared: readonly string[] = []): readonly TestEntry[] {
  const list = sheets.map(({ name, state }, i) => `<sheet name="${name}" sheetId="${i + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="s${i}"/>`).join('');
  return [
    ...packageParts('xl/workbook.xml', 'spreadsheetml.sheet'),
    { name: 'xl/workbook.xml', content: `<workbook><sheets>${list}</sheets></workbook>` },
    relationsPart('xl/_rels/workbook.xml.rels', [...sheets.map((_, i) => [`s${i}`, 'worksheet', `worksheets/sheet${i}.xml`] as const), ['st', 'styles', 'styles.xml'], ['ss', 'sharedStrings', 'sharedStrings.xml']]),
    { name: 'xl/styles.xml', content: '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-409]h:mm\\ AM/PM"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>' },
    { name: 'xl/sharedStrings.xml', content: `<sst>${shared.join('')}</sst>` },
    ...sheets.map(({ rows }, i) => ({ name: `xl/worksheets/sheet${i}.xml`, content: `<worksheet><sheetData>${rows}</sheetData></worksheet>` })),
  ];
}
