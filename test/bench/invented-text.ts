/** What text is measured when none is given? Sentences of real words in a senseless order, as frequent as Zipf's law wants them. */
import type { Random } from '../../core/base/random.ts';

/** `count` words drawn by Zipf's law (rank r with probability in proportion to 1 / r), a full stop at the end. */
export function inventSentence(words: readonly string[], random: Random, count: number): string {
  return `${Array.from({ length: count }, () => words[Math.floor(words.length ** random.next()) - 1] ?? '').join(' ')}.`;
}

/** A paragraph of sentences of 10 to 29 words, `count` words in all or a little more. */
export function inventParagraph(words: readonly string[], random: Random, count: number): string {
  const sentences: string[] = [];
  for (let written = 0; written < count; ) {
    const length = Math.min(count - written, 10 + random.integer(20));
    sentences.push(inventSentence(words, random, length));
    written += length;
  }
  return sentences.join(' ');
}
