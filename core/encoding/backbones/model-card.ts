/** What does the README of an exported model say? Its licence, languages, sizes, and how it is loaded. */
import type { BackboneFamily, TransformerBackbone } from '../backbone.ts';
import { UNKNOWN_LICENCE } from './sentence-transformers.ts';

/** A model card with the front matter that the Hugging Face hub reads. An unknown licence is called so. */
export function writeModelCard({ backbone, family, licence, title, languages = [] }: { readonly backbone: TransformerBackbone; readonly family: BackboneFamily; readonly licence?: string; readonly title?: string; readonly languages?: readonly string[] }): string {
  const { shape, pooling, prefixes, maxTokens, origin } = backbone;
  const name = title ?? 'Isogloss retriever';
  const width = pooling.dense?.bias.length ?? shape.width;
  const count = [...backbone.parameters.values()].reduce((sum, values) => sum + values.length, 0);
  const steps = [pooling.mode === 'cls' ? 'the state of the first token' : 'the mean of the states of all tokens', ...(pooling.dense === null ? [] : [`a dense layer (${pooling.dense.activation})`]), ...(pooling.normalise ? ['length 1'] : [])];
  const prefix = prefixes.query === '' && prefixes.document === '' ? 'Texts need no prefix.' : `Put \`${prefixes.query}\` before queries and \`${prefixes.document}\` before documents.`;
  return [
    '---',
    `license: ${licence ?? origin?.licence ?? UNKNOWN_LICENCE}`,
    'library_name: sentence-transformers',
    'pipeline_tag: sentence-similarity',
    ...(languages.length === 0 ? [] : ['language:', ...languages.map((tag) => `- ${tag}`)]),
    'tags:',
    '- sentence-transformers',
    '- feature-extraction',
    '- cross-lingual-retrieval',
    '- isogloss',
    '---',
    '',
    `# ${name}`,
    '',
    `Trained with Isogloss. A ${family} encoder: ${shape.layers} layers of width ${shape.width}, ${shape.heads} heads, ${shape.vocabularySize} pieces, ${count} parameters; at most ${maxTokens} tokens a text.`,
    `A text's vector has ${width} numbers: ${steps.join(', then ')}. ${prefix}`,
    '',
    '```python',
    'from sentence_transformers import SentenceTransformer',
    'model = SentenceTransformer("this-folder")',
    `model.encode([${JSON.stringify(`${prefixes.query}Maji hutoka wapi?`)}])`,
    '```',
    '',
  ].join('\n');
}
