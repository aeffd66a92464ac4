/** Do new pieces stand behind the old ones, begin where they should, and leave old texts alone? */
import { describe, expect, it } from 'vitest';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { TransformerBackbone } from '../backbone.ts';
import { tokenizerJson } from './changed-vocabulary.ts';
import { extendVocabulary } from './extend-vocabulary.ts';
import { learnMerges } from './learn-merges.ts';
import { openTransformerFolder } from './open-backbone.ts';
import { fixtureFolder } from './test-backbones.ts';

const rowOf = ({ parameters, shape: { width } }: TransformerBackbone, name: string, id: number): readonly number[] => [...(parameters.get(name) ?? new Float32Array()).subarray(id * width, (id + 1) * width)];

describe('pieces of a new language', () => {
  const texts = ['Ngũkũ ĩno nĩ njega mũno', 'Ngũkũ nĩ njega', 'Mũndũ ũyũ nĩ mwega', 'Andũ aya nĩ ega mũno'];

  it('stand behind the old ones, whose ids and vectors stay', async () => {
    const before = await openTransformerFolder(fixtureFolder('xlm-roberta'));
    const extra = await trainUnigram({ texts: [...texts, ...texts, ...texts].map((text) => ({ text, weight: 1 })), vocabularySize: 60 });
    const { backbone: after, newPieces, report } = await extendVocabulary(before, { extra, start: { kind: 'average' } });
    expect(newPieces.length).toBeGreaterThan(5);
    expect(report.piecesAfter).toBe(report.piecesBefore + newPieces.length);
    for (let id = 0; id < before.shape.vocabularySize; id += 1) expect(rowOf(after, 'embeddings.token', id)).toEqual(rowOf(before, 'embeddings.token', id));
    const piece = newPieces.find((some) => [...some].length > 3) ?? '';
    const parts = [...before.tokenizer.encode(piece.replaceAll('▁', ' '), 100)].slice(1, -1);
    expect(parts.length).toBeGreaterThan(0);
    const mean = Array.from({ length: 8 }, (_, k) => parts.reduce((sum, id) => sum + (rowOf(before, 'embeddings.token', id)[k] ?? 0), 0) / parts.length);
    const row = rowOf(after, 'embeddings.token', before.shape.vocabularySize + newPieces.indexOf(piece));
    mean.forEach((value, k) => expect(row[k]).toBeCloseTo(value, 5));
    const shorter = texts.map((text) => after.tokenizer.encode(text, 100).length - before.tokenizer.encode(text, 100).length);
    expect(Math.max(...shorter)).toBeLessThan(0);
  });

  it('begin at their translations where pairs teach them', async () => {
    const before = await openTransformerFolder(fixtureFolder('xlm-roberta'));
    const extra = { pieces: ['<unk>', '▁maithori'], scores: [0, -0.5], unknownId: 0 };
    const start = { kind: 'translations', pairs: Array.from({ length: 10 }, () => ({ text: 'maithori', pivot: 'water' })) } as const;
    const { backbone: after, newPieces } = await extendVocabulary(before, { extra, start });
    const row = rowOf(after, 'embeddings.token', before.shape.vocabularySize + newPieces.indexOf('▁maithori'));
    const water = [...before.tokenizer.encode('water', 100)].slice(1, -1);
    const mean = Array.from({ length: 8 }, (_, k) => water.reduce((sum, id) => sum + (rowOf(before, 'embeddings.token', id)[k] ?? 0), 0) / water.length);
    expect([...after.tokenizer.encode('maithori', 100)]).toContain(before.shape.vocabularySize + newPieces.indexOf('▁maithori'));
    mean.forEach((value, k) => expect(row[k]).toBeCloseTo(value, 4));
  });

  it('join WordPiece too: written with its prefix inside words, normalised as its texts are, old words of protected texts cut as before', async () => {
    const before = await openTransformerFolder(fixtureFolder('bert'));
    const pieces = ['<UNK>', '▁njega', '▁mwe', 'ga', 'ũno', '▁Ngũkũ', '▁mũ', 'ndũ', '▁,x', '▁beginning', '▁water'];
    const extra = { pieces, scores: pieces.map(() => -2), unknownId: 0 };
    const protectedTexts = ['the water of the lake', 'in the beginning', 'a language of many words'];
    const { backbone: after, newPieces, report } = await extendVocabulary(before, { extra, start: { kind: 'average' }, protectedTexts });
    expect(newPieces).toEqual(expect.arrayContaining(['njega', 'mwe', '##ga']));
    for (const piece of newPieces) expect(piece).not.toMatch(/▁|,|water|beginning/);
    expect(report.piecesAfter).toBe(after.tokenizer.vocabularySize);
    expect(report.piecesAfter).toBe(before.tokenizer.vocabularySize + newPieces.length);
    for (const text of protectedTexts) expect([...after.tokenizer.encode(text, 100)]).toEqual([...before.tokenizer.encode(text, 100)]);
    for (let id = 0; id < before.tokenizer.vocabularySize; id += 1) expect(rowOf(after, 'embeddings.token', id)).toEqual(rowOf(before, 'embeddings.token', id));
    const ids = texts.flatMap((text) => [...after.tokenizer.encode(text, 100)]);
    expect(ids.some((id) => id >= before.tokenizer.vocabularySize)).toBe(true);
    const unknown = (all: readonly number[]): number => all.filter((id) => id === before.tokenizer.ids.unknown).length;
    expect(unknown(ids)).toBeLessThanOrEqual(unknown(texts.flatMap((text) => [...before.tokenizer.encode(text, 100)])));
  });

  it('join byte pairs by merges behind the old ones: texts are cut as before, then joined further; protected texts stay as they were', async () => {
    const before = await openTransformerFolder(fixtureFolder('roberta'));
    const { tokenizer } = before;
    const protectedTexts = ['the water of the lake', 'in the beginning', 'a language of many words'];
    const merges = await learnMerges(tokenizerJson(tokenizer), { texts: [...texts, ...texts].map((text) => ({ text, weight: 2 })), count: 40, protectedTexts });
    const { backbone: after, newPieces, report } = await extendVocabulary(before, { extra: { merges }, start: { kind: 'average' } });
    expect(newPieces).toEqual(merges.map((merge) => merge.join('')));
    expect(newPieces.length).toBeGreaterThan(10);
    expect(report.piecesAfter).toBe(tokenizer.vocabularySize + newPieces.length);
    const partsOf = new Map<number, readonly number[]>(Array.from({ length: tokenizer.vocabularySize }, (_, id) => [id, [id]]));
    const old = JSON.parse(Buffer.from(tokenizer.files.get('tokenizer.json') ?? []).toString('utf8')) as { readonly model: { readonly vocab: Readonly<Record<string, number>> } };
    const idOf = (piece: string): number => old.model.vocab[piece] ?? tokenizer.vocabularySize + newPieces.indexOf(piece);
    merges.forEach(([left, right], i) => partsOf.set(tokenizer.vocabularySize + i, [...(partsOf.get(idOf(left)) ?? []), ...(partsOf.get(idOf(right)) ?? [])]));
    for (const text of [...texts, ...protectedTexts, 'Ngũkũ mũno, the water']) expect([...after.tokenizer.encode(text, 100)].flatMap((id) => partsOf.get(id) ?? [])).toEqual([...tokenizer.encode(text, 100)]);
    for (const text of texts) expect(after.tokenizer.encode(text, 100).length).toBeLessThan(0.7 * tokenizer.encode(text, 100).length);
    for (const text of protectedTexts) expect([...after.tokenizer.encode(text, 100)]).toEqual([...tokenizer.encode(text, 100)]);
    for (let id = 0; id < tokenizer.vocabularySize; id += 1) expect(rowOf(after, 'embeddings.token', id)).toEqual(rowOf(before, 'embeddings.token', id));
    const last = partsOf.get(tokenizer.vocabularySize + newPieces.length - 1) ?? [];
    const mean = Array.from({ length: 8 }, (_, k) => last.reduce((sum, id) => sum + (rowOf(before, 'embeddings.token', id)[k] ?? 0), 0) / last.length);
    const row = rowOf(after, 'embeddings.token', tokenizer.vocabularySize + newPieces.length - 1);
    mean.forEach((value, k) => expect(row[k]).toBeCloseTo(value, 5));
    const pairs = Array.from({ length: 10 }, () => ({ text: 'Ngũkũ', pivot: 'water' }));
    const translated = await extendVocabulary(before, { extra: { merges }, start: { kind: 'translations', pairs } });
    const [, bird = 0] = translated.backbone.tokenizer.encode('Ngũkũ', 100);
    expect(bird).toBeGreaterThanOrEqual(tokenizer.vocabularySize);
    expect(rowOf(translated.backbone, 'embeddings.token', bird)).not.toEqual(rowOf(after, 'embeddings.token', bird));
    await expect(extendVocabulary(before, { extra: await trainUnigram({ texts: texts.map((text) => ({ text, weight: 1 })), vocabularySize: 40 }), start: { kind: 'average' } })).rejects.toMatchObject({ code: 'backbone.unsupported', message: expect.stringContaining('this one is BPE') });
  });
});
