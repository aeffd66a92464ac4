/** What is a format called by the people who use it? Names of programs and standards, the same in every language. */
import type { CorpusFormat } from '../../main/contract/index.ts';

export const FORMAT_NAMES: Readonly<Record<CorpusFormat, string>> = {
  'beir-folder': 'BEIR',
  'jsonl-pairs': 'JSON Lines',
  'dpr-json': 'DPR',
  'squad-json': 'SQuAD',
  'passage-jsonl': 'JSON Lines',
  triples: 'MS MARCO',
  tsv: 'TSV',
  csv: 'CSV',
  wikimatrix: 'WikiMatrix',
  xlsx: 'XLSX',
  moses: 'Moses',
  'moses-zip': 'Moses (ZIP)',
  tmx: 'TMX',
  xliff: 'XLIFF',
  usfm: 'USFM',
  eaf: 'ELAN',
  flextext: 'FLEx',
  lift: 'LIFT',
  sfm: 'Toolbox',
  textgrid: 'Praat',
  conllu: 'CoNLL-U',
  sentences: 'TXT',
};
