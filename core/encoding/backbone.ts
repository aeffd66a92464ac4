/** What is a backbone: an encoder with weights that somebody trained (or nobody yet), ready to be trained further? */
import type { Graph } from '../graph/graph.ts';
import type { TransformerShape } from '../modules/transformer-shape.ts';

/** The families whose Hugging Face layout Isogloss reads and writes. */
export const backboneFamilies = ['bert', 'roberta', 'xlm-roberta', 'distilbert'] as const;
export type BackboneFamily = (typeof backboneFamilies)[number];

/** How the states of tokens become one vector. */
export type Pooling = {
  /** 'cls': the state of the first token; 'mean': the mean of all states of the text, special tokens included (as sentence-transformers). */
  readonly mode: 'cls' | 'mean';
  /** Whose states: 0 = the embeddings, i = after layer i; the number of layers = the last. */
  readonly layer: number;
  /** y = activation(x Wᵀ + b), applied to the pooled vector; weight float32 [O, H], bias float32 [O]. */
  readonly dense: PoolingDense | null;
  /** To length 1 at the end. */
  readonly normalise: boolean;
};

export type PoolingDense = { readonly weight: Float32Array; readonly bias: Float32Array; readonly activation: 'identity' | 'tanh' };

/** Text put before every query and every document (multilingual-e5: "query: ", "passage: "). */
export type Prefixes = { readonly query: string; readonly document: string };

export type BackboneTokenizer = {
  /** Ids are 0 .. vocabularySize - 1; never more than the rows of the embedding. */
  readonly vocabularySize: number;
  /** Ids of a text WITH its special tokens, cut at `maxTokens` (>= 3) so that the closing one stays. */
  readonly encode: (text: string, maxTokens: number) => Uint32Array;
  readonly ids: SpecialIds;
  /** The files that make it up (tokenizer.json first), byte for byte as they are written into a folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
};

/** Ids of the special tokens: begin of text, end of text, padding, unknown; mask (for masked language modelling) where there is one. */
export type SpecialIds = { readonly cls: number; readonly sep: number; readonly pad: number; readonly unknown: number; readonly mask: number | null };

/** A tensor that is no part of the forward pass (BERT's pooler), kept so that an export loses nothing. */
export type KeptTensor = { readonly shape: readonly number[]; readonly values: Float32Array };

/** Where a backbone came from. */
export type BackboneOrigin = {
  readonly family: BackboneFamily;
  /** config.json as it was read; what Isogloss does not know is written back unchanged. */
  readonly config: Readonly<Record<string, unknown>>;
  /** As the model card says ("mit", "apache-2.0" ...); null when it says nothing. */
  readonly licence: string | null;
  readonly kept: ReadonlyMap<string, KeptTensor>;
};

type Common = {
  readonly tokenizer: BackboneTokenizer;
  readonly pooling: Pooling;
  readonly prefixes: Prefixes;
  /** Most tokens of a text, special ones included. */
  readonly maxTokens: number;
};

/** A transformer whose weights have the canonical names of core/modules/transformer-shape.ts (with `mlm.*` when it has that head). */
export type TransformerBackbone = Common & {
  readonly kind: 'transformer';
  readonly shape: TransformerShape;
  readonly parameters: ReadonlyMap<string, Float32Array>;
  /** null: made from scratch. */
  readonly origin: BackboneOrigin | null;
};

/**
 * Any encoder that exists as ONNX. `graph` reads input_ids, attention_mask (and token_type_ids), int64 [B, L]; its float weights are
 * inputs too, named as in `parameters`, so that `backward` can differentiate by them. Its only output is `output`:
 * 'last_hidden_state' float32 [B, L, H] (then pooled as `pooling` says), or 'sentence_embedding' float32 [B, H].
 */
export type OnnxBackbone = Common & {
  readonly kind: 'onnx';
  readonly graph: Graph;
  readonly parameters: ReadonlyMap<string, Float32Array>;
  readonly output: 'last_hidden_state' | 'sentence_embedding';
  /** H of the output. */
  readonly width: number;
  /** SHA-256 of the file that was imported. */
  readonly sha256: string;
  readonly licence: string | null;
};

export type Backbone = TransformerBackbone | OnnxBackbone;
