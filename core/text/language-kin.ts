/** Which languages are close relatives? So near that texts in one teach something about the other; groups as Glottolog has them, written by hand for this table. */
import { parseLanguageTag } from './language.ts';

/**
 * Each row is a group of close relatives (a genus or less), as canonical BCP 47 languages; the smallest groups come first, and a language
 * may stand in several. The classification is Glottolog's (Hammarström et al., CC BY 4.0), the choice of languages ours: those with many
 * speakers, or with texts that can be had.
 */
const GROUPS: readonly string[] = [
  // Bantu
  'suk nym', 'sw zdj swb', 'lg xog nyn cgg nyo ttj', 'rw rn hay', 'ki kam mer ebu dav', 'ny seh tum ngu', 'sn ndc kck', 'zu xh nd nr ss', 'st tn nso', 'ts tsc rng', 'ln kg ktu lua lub', 'bem toi', 'luy guz', 'asa vun jmc rof', 'kde mgh ngo yao vmw', 'umb kmb kg', 'fan ewo bum', 'hz kj ng',
  // West Africa
  'yo igl its', 'ig ikw izz', 'ak fat tw abr', 'ee gej fon ajg', 'gaa ada', 'ff fuc fub fuf fue fuh', 'wo srr', 'bm dyu mnk', 'mos dga kus', 'dag maw', 'kr kby', 'dje ses khq twq',
  // Nile, Horn
  'am har', 'ti tig gez', 'om gax hae orc', 'so ymm', 'aa ssy', 'luo ach alz laj', 'din nus', 'mas saq', 'kln tuy sgc',
  // Berber, Semitic
  'kab tzm shi rif zgh', 'taq thz ttq', 'ar arz apc ary aeb ayl acm ajp shu mt', 'syr aii tru', 'arc syr',
  // Iranian, Indo-Aryan
  'fa prs tg', 'ku ckb sdh', 'ps pst pbt', 'bal bgp bgn', 'lrc luz mzn glk', 'hi ur', 'hi bho mag mai awa', 'pa pnb skr', 'mr gom kok', 'bn as syl ctg', 'or spv', 'ne dty', 'si dv', 'raj mwr wbr bgc', 'doi kfx', 'rom rmy rmc rmn',
  // Dravidian
  'ta ml', 'kn tcy', 'te gon', 'brh kru',
  // Munda, Tibeto-Burman
  'sat mun hoc', 'bo dz lbj', 'my rki tvn', 'lus ctd hlt cfm', 'ksw pwo kjp',
  // Sinitic, Tai, Austroasiatic, Hmong
  'zh yue wuu nan hak gan hsn', 'th lo tts nod sou shn', 'vi mtq', 'hmn hnj mww',
  // Austronesian
  'id ms zsm jax min bjn zlm', 'jv su mad', 'ban sas', 'bug mak', 'ace cjm', 'bbc btx bts btm', 'tl ceb hil war bik pam ilo pag', 'ceb hil war', 'bcl bik', 'mi haw ty sm to rar tvl niu', 'gil mh',
  // Turkic, Mongolic, Tungusic
  'tr az gag', 'uz ug', 'kk ky kaa nog', 'tt ba', 'sah tyv kjh alt', 'mn bua xal',
  // Uralic
  'fi et krl olo vep vro', 'se smn sms smj sma', 'kv udm koi', 'mhr mrj', 'myv mdf', 'kca mns',
  // Caucasus
  'ka xmf lzz sva', 'ce inh', 'av dar lez lbe', 'ab abq', 'ady kbd',
  // Europe
  'es ca gl pt an ast ext', 'fr oc wa pcd nrm frp', 'it scn nap vec lmo pms lij', 'ro rup', 'rm fur lld', 'de gsw nds bar lb yi', 'nl af fy li zea vls', 'en sco', 'sv da no nb nn is fo', 'ru uk be rue', 'pl csb szl', 'cs sk', 'hsb dsb', 'sl hr bs sr', 'bg mk', 'lt lv ltg sgs', 'cy br kw', 'ga gd gv', 'el pnt', 'sq aln', 'hy hyw',
  // Americas
  'qu quz quy qub qxl qvi', 'gn nhd kgk', 'nah nhe nhn azz ncj', 'yua lac mop', 'quc cak tzj tzu kek', 'tzo tzh ctu toj', 'mam ixl agu', 'zap zaw zai zpu', 'mxb mig mie xtn', 'ote otm maz', 'cr crk csw cwd cre', 'oj ojb ciw otw', 'iu ike ikt kl', 'nv apw apj', 'moh see one', 'dak lkt asb', 'cho cic mus', 'yaq mfy tar', 'mto mir', 'ht gcf acf gcr', 'acu hub',
  // Pacific
  'tpi bi pis', 'pjt pit',
];

let groups: readonly ReadonlySet<string>[] | null = null;

function allGroups(): readonly ReadonlySet<string>[] {
  groups ??= GROUPS.map((row) => new Set(row.split(' ').map((tag) => parseLanguageTag(tag).language ?? tag)));
  return groups;
}

/** Close relatives of a language, nearest first; none for one that the table does not have. @throws InputError 'language.invalid-tag'. */
export function languageKin(tag: string): readonly string[] {
  const { language } = parseLanguageTag(tag);
  if (language === null) return [];
  const found = allGroups().filter((group) => group.has(language)).toSorted((a, b) => a.size - b.size);
  return [...new Set(found.flatMap((group) => [...group]))].filter((other) => other !== language);
}
