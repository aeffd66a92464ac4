/** Through which nodes does a node of a file reach an output? Said where the node cannot be used. */

type NamedNode = { readonly name: string; readonly opType: string; readonly inputs: readonly unknown[]; readonly outputs: readonly string[] };
type NamedGraph = { readonly nodes: readonly NamedNode[]; readonly outputs: readonly { readonly name: string }[] };

const SHOWN = 6; // nodes named in a message

/** "A (Attention) -> B (Add) -> ... -> last_hidden_state": the shortest way; only the node itself where it reaches no output. */
export function pathToOutput(graph: NamedGraph, node: NamedNode): string {
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  const readers = new Map<string, NamedNode[]>();
  for (const reader of graph.nodes) {
    for (const input of reader.inputs) {
      if (typeof input !== 'string') continue;
      const known = readers.get(input);
      if (known === undefined) readers.set(input, [reader]);
      else known.push(reader);
    }
  }
  const start = graph.nodes.find(({ outputs: names }) => names[0] === node.outputs[0]) ?? node;
  const before = new Map<NamedNode, NamedNode | null>([[start, null]]);
  const queue: NamedNode[] = [start];
  for (let at = 0; at < queue.length; at += 1) {
    const here = queue[at] ?? start;
    const output = here.outputs.find((name) => outputs.has(name));
    if (output !== undefined) return shown([...wayTo(here, before).map(({ name, opType }) => `${name} (${opType})`), output]);
    for (const next of here.outputs.flatMap((name) => readers.get(name) ?? [])) {
      if (before.has(next)) continue;
      before.set(next, here);
      queue.push(next);
    }
  }
  return `${start.name} (${start.opType})`;
}

function wayTo(end: NamedNode, before: ReadonlyMap<NamedNode, NamedNode | null>): readonly NamedNode[] {
  const way: NamedNode[] = [];
  for (let node: NamedNode | null = end; node !== null; node = before.get(node) ?? null) way.unshift(node);
  return way;
}

function shown(parts: readonly string[]): string {
  const cut = parts.length > SHOWN ? [...parts.slice(0, SHOWN - 2), '...', ...parts.slice(-2)] : parts;
  return cut.join(' -> ');
}
