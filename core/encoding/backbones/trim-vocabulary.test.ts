/** Does a smaller vocabulary cut the project's texts as before, with the very same vectors? */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import tokenizers from '../../../test/reference/pretrained-tokenizers.json' with { type: 'json' };
import { seededRandom } from '../../base/random.ts';
import { createBackboneEncoder } from '../backbone-encoder.ts';
import type { TransformerBackbone } from '../backbone.ts';
import { openTransformerFolder } from './open-backbone.ts';
import { fixtureFolder, layouts, temporaryFolder } from './test-backbones.ts';
import { trimVocabulary } from './trim-vocabulary.ts';
import { writeBackboneFolder } from './write-backbone.ts';

const ALL = Object.keys(tokenizers.cases['bert-cased']);
const CORPUS = ALL.filter((_, i) => i < 4 || i > 16); // some scripts, and every edge

const rowOf = ({ parameters, shape }: TransformerBackbone, name: string, id: number): readonly number[] => {
  const width = name === 'mlm.bias' ? 1 : shape.width;
  return [...(parameters.get(name) ?? new Float32Array()).subarray(id * width, (id + 1) * width)];
};

const vectors = (backbone: TransformerBackbone): Promise<Float32Array> => createBackboneEncoder({ backbone, queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} }, { modelId: 'test', threads: 1 }).encode(CORPUS.filter((text) => text !== ''), 'query');

describe.each(layouts)('the trimmed vocabulary of %s', (name) => {
  it('cuts every text of the corpus into the same pieces, with the same embeddings and the same vectors, bit by bit', async () => {
    const before = await openTransformerFolder(fixtureFolder(name));
    const { backbone: after, report } = trimVocabulary(before, CORPUS);
    expect(report.piecesBefore).toBe(before.shape.vocabularySize);
    expect(report.piecesAfter).toBeLessThan(report.piecesBefore);
    expect(report.bytesAfter).toBe(report.bytesBefore - 4 * (before.parameters.has('mlm.bias') ? 9 : 8) * (report.piecesBefore - report.piecesAfter));
    const oldIds = new Map<number, number>();
    for (const text of CORPUS) {
      const [old, trimmed] = [before.tokenizer.encode(text, 1000), after.tokenizer.encode(text, 1000)];
      expect(trimmed.length, text).toBe(old.length);
      trimmed.forEach((id, i) => {
        const known = oldIds.get(id) ?? old[i];
        expect(old[i], text).toBe(known); // one new id for each old one
        oldIds.set(id, old[i] ?? -1);
      });
    }
    expect(oldIds.size).toBeGreaterThan(50);
    for (const [id, old] of oldIds) for (const table of ['embeddings.token', ...(before.parameters.has('mlm.bias') ? ['mlm.bias'] : [])]) expect(rowOf(after, table, id)).toEqual(rowOf(before, table, old));
    expect(await vectors(after)).toEqual(await vectors(before));
    expect([after.shape.positionOffset, after.tokenizer.ids.pad]).toEqual([before.shape.positionOffset, before.tokenizer.ids.pad]);
  });

  it('still knows every character that it knew, and survives an export', async () => {
    await using folder = await temporaryFolder();
    const before = await openTransformerFolder(fixtureFolder(name));
    const { backbone: after } = trimVocabulary(before, ['water']);
    for (const text of ['z q x', 'Q7', '!?']) {
      const unknown = [before, after].map(({ tokenizer }) => [...tokenizer.encode(text, 100)].filter((id) => id === tokenizer.ids.unknown).length);
      expect(unknown[1], text).toBe(unknown[0]);
    }
    await writeBackboneFolder(join(folder.path, 'out'), after);
    const again = await openTransformerFolder(join(folder.path, 'out'));
    expect(again.shape).toEqual(after.shape);
    for (const text of CORPUS) expect([...again.tokenizer.encode(text, 1000)]).toEqual([...after.tokenizer.encode(text, 1000)]);
  });
});

describe('a vocabulary of many words, of which a corpus uses few', () => {
  it('cuts any mixture of the corpus\'s words as before', async () => {
    const random = seededRandom(3, 'mixtures');
    for (const name of ['bert', 'roberta', 'xlm-roberta'] as const) {
      const before = await openTransformerFolder(fixtureFolder(name));
      const words = ALL.slice(0, 11).flatMap((text) => text.split(' '));
      const texts = Array.from({ length: 40 }, () => Array.from({ length: 1 + random.integer(6) }, () => words[random.integer(words.length)] ?? '').join(random.integer(2) === 0 ? ' ' : ''));
      const { backbone: after } = trimVocabulary(before, texts);
      for (const text of texts) {
        const pairs = [...before.tokenizer.encode(text, 1000)].map((id, i) => [rowOf(before, 'embeddings.token', id), rowOf(after, 'embeddings.token', after.tokenizer.encode(text, 1000)[i] ?? -1)] as const);
        for (const [old, trimmed] of pairs) expect(trimmed).toEqual(old);
      }
    }
  });
});
