/**
 * Which faces come with Isogloss, and for which scripts? One table for the build (fonts.config.ts), for the choice of a font per
 * language, and for the About page. All under the SIL Open Font License, from the @fontsource packages; of each only what is named here is taken.
 */

/** `scripts`: ISO 15924. `subsets`: the parts of the package that are taken; the browser fetches one when a letter of it is to be drawn. */
export type FontFace = { readonly family: string; readonly package: string; readonly scripts: readonly string[]; readonly subsets: readonly string[]; readonly weights: readonly (400 | 600 | 700)[]; readonly isInterface: boolean };

const LATIN_CYRILLIC = ['latin', 'latin-ext', 'vietnamese', 'cyrillic', 'cyrillic-ext'] as const;

const interfaceFace = (family: string, scripts: readonly string[], subsets: readonly string[], bold: 600 | 700): FontFace => ({ family, package: packageOf(family), scripts, subsets, weights: [400, bold], isInterface: true });
/** A face of one script, in one weight. */
const scriptFace = (family: string, script: string, subset: string): FontFace => ({ family, package: packageOf(family), scripts: [script], subsets: [subset], weights: [400], isInterface: false });
const latinFace = (family: string, subsets: readonly string[]): FontFace => ({ family, package: packageOf(family), scripts: ['Latn', 'Cyrl'], subsets, weights: [400], isInterface: false });

/** "Noto Sans Ol Chiki" -> "@fontsource/noto-sans-ol-chiki". */
function packageOf(family: string): string {
  return `@fontsource/${family.toLowerCase().replaceAll(' ', '-')}`;
}

/** A script's first face is the one that is taken where nobody has chosen. Chakma and others that no @fontsource package brings have none: there the computer's own font serves, and the Language view says so. */
export const FONT_FACES: readonly FontFace[] = [
  interfaceFace('Noto Sans', ['Latn', 'Cyrl', 'Grek', 'Deva'], [...LATIN_CYRILLIC, 'greek', 'greek-ext', 'devanagari'], 600),
  interfaceFace('Charis SIL', ['Latn', 'Cyrl'], LATIN_CYRILLIC, 700),
  interfaceFace('Noto Sans Arabic', ['Arab'], ['arabic'], 600),
  interfaceFace('Noto Sans Thai', ['Thai'], ['thai'], 600),
  latinFace('Andika', LATIN_CYRILLIC),
  latinFace('Gentium Plus', [...LATIN_CYRILLIC, 'greek', 'greek-ext']),
  scriptFace('Scheherazade New', 'Arab', 'arabic'),
  scriptFace('Noto Nastaliq Urdu', 'Arab', 'arabic'),
  scriptFace('Annapurna SIL', 'Deva', 'devanagari'),
  scriptFace('Noto Sans Adlam', 'Adlm', 'adlam'),
  scriptFace('Noto Sans Armenian', 'Armn', 'armenian'),
  scriptFace('Noto Sans Balinese', 'Bali', 'balinese'),
  scriptFace('Noto Sans Bamum', 'Bamu', 'bamum'),
  scriptFace('Noto Sans Bengali', 'Beng', 'bengali'),
  scriptFace('Noto Sans Buginese', 'Bugi', 'buginese'),
  scriptFace('Noto Sans Canadian Aboriginal', 'Cans', 'canadian-aboriginal'),
  scriptFace('Noto Sans Cham', 'Cham', 'cham'),
  scriptFace('Noto Sans Cherokee', 'Cher', 'cherokee'),
  scriptFace('Noto Sans Ethiopic', 'Ethi', 'ethiopic'),
  scriptFace('Noto Sans Georgian', 'Geor', 'georgian'),
  scriptFace('Noto Sans Gujarati', 'Gujr', 'gujarati'),
  scriptFace('Noto Sans Gurmukhi', 'Guru', 'gurmukhi'),
  scriptFace('Noto Sans Hanifi Rohingya', 'Rohg', 'hanifi-rohingya'),
  scriptFace('Noto Sans Hebrew', 'Hebr', 'hebrew'),
  scriptFace('Noto Sans Javanese', 'Java', 'javanese'),
  scriptFace('Noto Sans Kannada', 'Knda', 'kannada'),
  scriptFace('Noto Sans Kayah Li', 'Kali', 'kayah-li'),
  scriptFace('Noto Sans Khmer', 'Khmr', 'khmer'),
  scriptFace('Noto Sans Lao', 'Laoo', 'lao'),
  scriptFace('Noto Sans Lepcha', 'Lepc', 'lepcha'),
  scriptFace('Noto Sans Limbu', 'Limb', 'limbu'),
  scriptFace('Noto Sans Lisu', 'Lisu', 'lisu'),
  scriptFace('Noto Sans Malayalam', 'Mlym', 'malayalam'),
  scriptFace('Noto Sans Meetei Mayek', 'Mtei', 'meetei-mayek'),
  scriptFace('Noto Sans Mongolian', 'Mong', 'mongolian'),
  scriptFace('Noto Sans Myanmar', 'Mymr', 'myanmar'),
  scriptFace('Padauk', 'Mymr', 'myanmar'),
  scriptFace('Noto Sans New Tai Lue', 'Talu', 'new-tai-lue'),
  scriptFace('Noto Sans NKo', 'Nkoo', 'nko'),
  scriptFace('Noto Sans Ol Chiki', 'Olck', 'ol-chiki'),
  scriptFace('Noto Sans Oriya', 'Orya', 'oriya'),
  scriptFace('Noto Sans Osmanya', 'Osma', 'osmanya'),
  scriptFace('Noto Sans Sinhala', 'Sinh', 'sinhala'),
  scriptFace('Noto Sans Sundanese', 'Sund', 'sundanese'),
  scriptFace('Noto Sans Syriac', 'Syrc', 'syriac'),
  scriptFace('Noto Sans Tai Le', 'Tale', 'tai-le'),
  scriptFace('Noto Sans Tai Tham', 'Lana', 'tai-tham'),
  scriptFace('Noto Sans Tamil', 'Taml', 'tamil'),
  scriptFace('Noto Sans Telugu', 'Telu', 'telugu'),
  scriptFace('Noto Sans Thaana', 'Thaa', 'thaana'),
  scriptFace('Noto Sans Tifinagh', 'Tfng', 'tifinagh'),
  scriptFace('Noto Sans Vai', 'Vaii', 'vai'),
  scriptFace('Noto Sans Yi', 'Yiii', 'yi'),
  scriptFace('Noto Serif Tibetan', 'Tibt', 'tibetan'),
];

export const INTERFACE_FONTS = 'fonts/interface.css';
export const SCRIPT_FONTS = 'fonts/scripts.css';

/** The families that can write a script, the usual one first; of an unknown script all that write Latin. */
export function familiesFor(script: string | null): readonly string[] {
  const usual = script === null || script === 'Latn' ? ['Charis SIL'] : [];
  const fitting = FONT_FACES.filter(({ scripts }) => scripts.includes(script ?? 'Latn')).map(({ family }) => family);
  return [...new Set([...usual, ...fitting])];
}
