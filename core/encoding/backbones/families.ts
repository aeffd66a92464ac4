/** How does each family call its sizes (config.json) and its tensors? Tables from there to Isogloss and back. */
import { InputError } from '../../base/errors.ts';
import { checkTransformerShape, maskedLanguageModelParameters, transformerParameters, type TransformerShape } from '../../modules/transformer-shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { backboneFamilies, type BackboneFamily } from '../backbone.ts';

type Json = Readonly<Record<string, unknown>>;

/** What config.json calls each size. */
type SizeNames = { readonly [Name in 'vocabularySize' | 'width' | 'layers' | 'heads' | 'feedForwardWidth' | 'positions']: string } & { readonly activation: string };

type Family = {
  readonly sizes: SizeNames;
  /** Put before the names of tensors when the model has a head. */
  readonly prefix: string;
  readonly architecture: { readonly plain: string; readonly masked: string };
  readonly tokenizerClass: string;
  /** The rows of positions begin after the padding id. */
  readonly offsetsPositions: boolean;
  readonly hasTokenTypes: boolean;
  /** Name (without prefix) of a tensor of layer i, or of the embeddings. */
  readonly tensor: (canonical: string) => string;
  /** Names of the masked language model's head. */
  readonly head: { readonly [canonical: string]: string };
};

const BERT_SIZES: SizeNames = { vocabularySize: 'vocab_size', width: 'hidden_size', layers: 'num_hidden_layers', heads: 'num_attention_heads', feedForwardWidth: 'intermediate_size', positions: 'max_position_embeddings', activation: 'hidden_act' };

const EMBEDDINGS: { readonly [canonical: string]: string } = {
  'embeddings.token': 'embeddings.word_embeddings.weight',
  'embeddings.position': 'embeddings.position_embeddings.weight',
  'embeddings.type': 'embeddings.token_type_embeddings.weight',
  'embeddings.norm.scale': 'embeddings.LayerNorm.weight',
  'embeddings.norm.bias': 'embeddings.LayerNorm.bias',
};

const BERT_PARTS: { readonly [part: string]: string } = { query: 'attention.self.query', key: 'attention.self.key', value: 'attention.self.value', output: 'attention.output.dense', attentionNorm: 'attention.output.LayerNorm', up: 'intermediate.dense', down: 'output.dense', outputNorm: 'output.LayerNorm' };
const DISTILBERT_PARTS: { readonly [part: string]: string } = { query: 'attention.q_lin', key: 'attention.k_lin', value: 'attention.v_lin', output: 'attention.out_lin', attentionNorm: 'sa_layer_norm', up: 'ffn.lin1', down: 'ffn.lin2', outputNorm: 'output_layer_norm' };

const LAYER_NAME = /^layer\.(\d+)\.(\w+)\.(weight|scale|bias)$/;

function tensorName(stem: string, parts: { readonly [part: string]: string }): (canonical: string) => string {
  return (canonical) => {
    const match = LAYER_NAME.exec(canonical);
    const [, layer = '', part = '', kind = ''] = match ?? [];
    return match === null ? (EMBEDDINGS[canonical] ?? canonical) : `${stem}.${layer}.${parts[part] ?? part}.${kind === 'bias' ? 'bias' : 'weight'}`;
  };
}

const head = (names: { readonly transform: string; readonly norm: string; readonly bias: string }): Family['head'] => ({
  'mlm.transform.weight': `${names.transform}.weight`,
  'mlm.transform.bias': `${names.transform}.bias`,
  'mlm.norm.scale': `${names.norm}.weight`,
  'mlm.norm.bias': `${names.norm}.bias`,
  'mlm.bias': names.bias,
});

const bertTensor = tensorName('encoder.layer', BERT_PARTS);
const ROBERTA_HEAD = head({ transform: 'lm_head.dense', norm: 'lm_head.layer_norm', bias: 'lm_head.bias' });

/** The families by `model_type`. To add one whose layers are BERT's: a row. */
export const families: { readonly [Name in BackboneFamily]: Family } = {
  bert: { sizes: BERT_SIZES, prefix: 'bert.', architecture: { plain: 'BertModel', masked: 'BertForMaskedLM' }, tokenizerClass: 'BertTokenizer', offsetsPositions: false, hasTokenTypes: true, tensor: bertTensor, head: head({ transform: 'cls.predictions.transform.dense', norm: 'cls.predictions.transform.LayerNorm', bias: 'cls.predictions.bias' }) },
  roberta: { sizes: BERT_SIZES, prefix: 'roberta.', architecture: { plain: 'RobertaModel', masked: 'RobertaForMaskedLM' }, tokenizerClass: 'RobertaTokenizer', offsetsPositions: true, hasTokenTypes: true, tensor: bertTensor, head: ROBERTA_HEAD },
  'xlm-roberta': { sizes: BERT_SIZES, prefix: 'roberta.', architecture: { plain: 'XLMRobertaModel', masked: 'XLMRobertaForMaskedLM' }, tokenizerClass: 'XLMRobertaTokenizer', offsetsPositions: true, hasTokenTypes: true, tensor: bertTensor, head: ROBERTA_HEAD },
  distilbert: {
    sizes: { vocabularySize: 'vocab_size', width: 'dim', layers: 'n_layers', heads: 'n_heads', feedForwardWidth: 'hidden_dim', positions: 'max_position_embeddings', activation: 'activation' },
    prefix: 'distilbert.', architecture: { plain: 'DistilBertModel', masked: 'DistilBertForMaskedLM' }, tokenizerClass: 'DistilBertTokenizer', offsetsPositions: false, hasTokenTypes: false,
    tensor: tensorName('transformer.layer', DISTILBERT_PARTS), head: head({ transform: 'vocab_transform', norm: 'vocab_layer_norm', bias: 'vocab_projector.bias' }),
  },
};

/** Names under which a file may hold the head's decoder, which is the token table itself. */
export const DECODER_NAMES: readonly string[] = ['cls.predictions.decoder.weight', 'lm_head.decoder.weight', 'vocab_projector.weight'];

const ACTIVATIONS: { readonly [name: string]: TransformerShape['activation'] } = { gelu: 'gelu', gelu_python: 'gelu', gelu_new: 'gelu-tanh', gelu_fast: 'gelu-tanh', gelu_pytorch_tanh: 'gelu-tanh', relu: 'relu' };
const ACTIVATION_NAMES: { readonly [Name in TransformerShape['activation']]: string } = { gelu: 'gelu', 'gelu-tanh': 'gelu_pytorch_tanh', relu: 'relu' };
const DEFAULT_EPSILON = 1e-12;

export function isFamily(name: unknown): name is BackboneFamily {
  return backboneFamilies.some((family) => family === name);
}

/** @throws InputError 'backbone.unknown-family' naming what was found and what is read. */
export function familyOf(config: Json, place: string): BackboneFamily {
  const found = config['model_type'];
  if (isFamily(found)) return found;
  throw new InputError('backbone.unknown-family', `${place}: Isogloss reads models of the families ${backboneFamilies.join(', ')}; found ${found === undefined ? 'no "model_type"' : JSON.stringify(found)}. Choose a model of one of these families, or export this one to ONNX.`, { data: { path: place, found: String(found) } });
}

/**
 * The sizes in a config.json.
 * @throws InputError 'backbone.wrong-config' naming the field; 'backbone.unsupported' for what these layers do not do.
 */
export function readShape(config: Json, family: BackboneFamily, place: string): TransformerShape {
  const { sizes, offsetsPositions, hasTokenTypes } = families[family];
  const whole = (name: string, fallback?: number): number => {
    const value = config[name] ?? fallback;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new InputError('backbone.wrong-config', `${place}: "${name}" should be a whole number, found ${JSON.stringify(value) ?? 'nothing'}.`, { data: { path: place, field: name } });
    return value;
  };
  for (const [name, allowed] of [['position_embedding_type', 'absolute'], ['is_decoder', false], ['add_cross_attention', false], ['quantization_config', null], ['embedding_size', config[sizes.width]]] as const) {
    const found = config[name];
    if (found !== undefined && found !== null && found !== allowed) throw new InputError('backbone.unsupported', `${place}: Isogloss trains models whose "${name}" is ${JSON.stringify(allowed)}; found ${JSON.stringify(found)}.`, { data: { path: place, field: name } });
  }
  const activation = ACTIVATIONS[String(config[sizes.activation] ?? 'gelu')];
  if (activation === undefined) throw new InputError('backbone.unsupported', `${place}: Isogloss knows the activations ${Object.keys(ACTIVATIONS).join(', ')}; found ${JSON.stringify(config[sizes.activation])}.`, { data: { path: place, field: sizes.activation } });
  const epsilon = config['layer_norm_eps'];
  const padTokenId = whole('pad_token_id', offsetsPositions ? 1 : 0);
  const shape: TransformerShape = {
    vocabularySize: whole(sizes.vocabularySize),
    width: whole(sizes.width),
    layers: whole(sizes.layers),
    heads: whole(sizes.heads),
    feedForwardWidth: whole(sizes.feedForwardWidth),
    positions: whole(sizes.positions),
    positionOffset: offsetsPositions ? padTokenId + 1 : 0,
    tokenTypes: hasTokenTypes ? whole('type_vocab_size', offsetsPositions ? 1 : 2) : 0,
    activation,
    layerNormEpsilon: typeof epsilon === 'number' ? epsilon : DEFAULT_EPSILON,
    padTokenId,
  };
  try {
    checkTransformerShape(shape);
  } catch (cause) {
    if (cause instanceof ShapeError) throw new InputError('backbone.wrong-config', `${place}: ${cause.message}`, { cause, data: { path: place } });
    throw cause;
  }
  return shape;
}

/** Types of stored tensors, foreign programs and foreign places. */
const NOT_CARRIED_ON: ReadonlySet<string> = new Set(['torch_dtype', 'dtype', 'auto_map', '_name_or_path']);

/** The family whose layout fits a model made from scratch. */
export function familyOfShape({ tokenTypes, positionOffset }: TransformerShape): BackboneFamily {
  if (positionOffset > 0) return 'xlm-roberta';
  return tokenTypes === 0 ? 'distilbert' : 'bert';
}

/** config.json of a shape; `base` is what was read when the model came in, and is kept where the shape says nothing. */
export function writeConfig({ shape, family, base, hasHead, specials }: { readonly shape: TransformerShape; readonly family: BackboneFamily; readonly base: Json; readonly hasHead: boolean; readonly specials: { readonly bos_token_id: number; readonly eos_token_id: number } }): Json {
  const { sizes, architecture, hasTokenTypes, offsetsPositions } = families[family];
  const kept = Object.fromEntries(Object.entries(base).filter(([name]) => !NOT_CARRIED_ON.has(name)));
  return {
    ...kept,
    model_type: family,
    architectures: [hasHead ? architecture.masked : architecture.plain],
    [sizes.vocabularySize]: shape.vocabularySize,
    [sizes.width]: shape.width,
    [sizes.layers]: shape.layers,
    [sizes.heads]: shape.heads,
    [sizes.feedForwardWidth]: shape.feedForwardWidth,
    [sizes.positions]: shape.positions,
    [sizes.activation]: base[sizes.activation] !== undefined && ACTIVATIONS[String(base[sizes.activation])] === shape.activation ? base[sizes.activation] : ACTIVATION_NAMES[shape.activation],
    ...(hasTokenTypes ? { type_vocab_size: shape.tokenTypes } : {}),
    ...(family === 'distilbert' && shape.layerNormEpsilon === DEFAULT_EPSILON ? {} : { layer_norm_eps: shape.layerNormEpsilon }),
    pad_token_id: shape.padTokenId,
    ...(offsetsPositions ? specials : {}),
  };
}

/** Canonical name -> name in the file (without prefix) of every tensor of the encoder. */
export function tensorNames(shape: TransformerShape, family: BackboneFamily): ReadonlyMap<string, { readonly name: string; readonly shape: readonly number[] }> {
  const { tensor } = families[family];
  return new Map(transformerParameters(shape).map((parameter) => [parameter.name, { name: tensor(parameter.name), shape: parameter.shape }]));
}

/** Canonical name -> name in the file of the masked language model's head; never with the prefix. */
export function headNames(shape: TransformerShape, family: BackboneFamily): ReadonlyMap<string, { readonly name: string; readonly shape: readonly number[] }> {
  const names = families[family].head;
  return new Map(maskedLanguageModelParameters(shape).map((parameter) => [parameter.name, { name: names[parameter.name] ?? parameter.name, shape: parameter.shape }]));
}
