/** Which pieces begin here? A prefix tree over whole numbers (characters or code units), kept in one open-addressing table. */

const EMPTY = -1;
const SLOT = 3; // parent node, symbol, child node
const NODE_HASH = 0x9e3779b1;
const SYMBOL_HASH = 0x85ebca6b;
const WORD_BITS = 32;
const FINAL_SHIFT = 15;
const FIRST_BITS = 4;

/** `root` is node 0. `pieceOf[node]` is the piece that ends at a node, or -1. */
export type PieceTrie = {
  readonly slots: Int32Array; // [SLOT * capacity]
  readonly shift: number;
  readonly pieceOf: Int32Array; // [nodes]
};

/** How to read piece number i: `length(i)` symbols, the k-th of them `symbol(i, k)` >= 0. */
export type PieceSource = {
  readonly count: number;
  readonly length: (piece: number) => number;
  readonly symbol: (piece: number, position: number) => number;
};

/** Builds the tree. Of two equal pieces the later one wins. Memory: 12 bytes per slot, a quarter to half of them used. */
export function buildPieceTrie(source: PieceSource): PieceTrie {
  let bits = FIRST_BITS;
  while (2 ** bits < 2 * source.count) bits += 1;
  let table = emptyTable(bits);
  let pieceOf = new Int32Array(2 ** bits).fill(EMPTY);
  let nodes = 1;
  for (let i = 0; i < source.count; i += 1) {
    const length = source.length(i);
    let node = 0;
    for (let k = 0; k < length; k += 1) {
      const symbol = source.symbol(i, k);
      const at = findSlot(table, node, symbol);
      if (table.slots[at] === EMPTY) {
        table.slots[at] = node;
        table.slots[at + 1] = symbol;
        table.slots[at + 2] = nodes;
        node = nodes;
        nodes += 1;
        if (2 * nodes > 2 ** bits) {
          bits += 1;
          table = regrow(table, bits);
          const wider = new Int32Array(2 ** bits).fill(EMPTY);
          wider.set(pieceOf);
          pieceOf = wider;
        }
      } else node = table.slots[at + 2] ?? 0;
    }
    pieceOf[node] = i;
  }
  return { ...table, pieceOf: pieceOf.slice(0, nodes) };
}

type Table = { readonly slots: Int32Array; readonly shift: number };

function emptyTable(bits: number): Table {
  return { slots: new Int32Array(SLOT * 2 ** bits).fill(EMPTY), shift: WORD_BITS - bits };
}

function regrow(table: Table, bits: number): Table {
  const grown = emptyTable(bits);
  for (let from = 0; from < table.slots.length; from += SLOT) {
    const parent = table.slots[from] ?? EMPTY;
    if (parent === EMPTY) continue;
    const at = findSlot(grown, parent, table.slots[from + 1] ?? 0);
    grown.slots.set(table.slots.subarray(from, from + SLOT), at);
  }
  return grown;
}

/** Where (node, symbol) is, or the empty slot where it would go. */
function findSlot(table: Table, node: number, symbol: number): number {
  const slots = table.slots;
  let at = SLOT * hash(node, symbol, table.shift);
  while (slots[at] !== EMPTY && (slots[at] !== node || slots[at + 1] !== symbol)) {
    at += SLOT;
    if (at >= slots.length) at = 0;
  }
  return at;
}

function hash(node: number, symbol: number, shift: number): number {
  const mixed = Math.imul(node, NODE_HASH) ^ Math.imul(symbol, SYMBOL_HASH);
  return Math.imul(mixed ^ (mixed >>> FINAL_SHIFT), NODE_HASH) >>> shift;
}

/** The child of `node` along `symbol`, or -1. */
export function stepTrie(trie: PieceTrie, node: number, symbol: number): number {
  const slots = trie.slots;
  let at = SLOT * hash(node, symbol, trie.shift);
  for (;;) {
    const parent = slots[at] ?? EMPTY;
    if (parent === EMPTY) return EMPTY;
    if (parent === node && slots[at + 1] === symbol) return slots[at + 2] ?? EMPTY;
    at += SLOT;
    if (at >= slots.length) at = 0;
  }
}
