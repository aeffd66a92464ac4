/** Where on the drawing does each sentence of the map stand? One scale for the first map and the present one, so that moving is seen. */
import type { MapPair } from '../../main/contract/index.ts';

export type MapPlace = { readonly key: string; readonly pair: MapPair; readonly from: { readonly x: number; readonly y: number }; readonly to: { readonly x: number; readonly y: number } };

/** Room at the edge for half a mark. */
const MARGIN = 8;

/**
 * Places in a drawing of width x height with 0,0 at its centre; y grows downwards there.
 * @param shown what is drawn. @param fitted all maps that must fit, `shown` among them.
 */
export function mapPlaces({ shown, fitted, width, height }: { readonly shown: readonly MapPair[]; readonly fitted: readonly MapPair[]; readonly width: number; readonly height: number }): readonly MapPlace[] {
  const ends = fitted.flatMap(({ from, to }) => [from, to]);
  const extent = (axis: 0 | 1): { readonly middle: number; readonly size: number } => {
    const values = ends.map((end) => end[axis]);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return values.length === 0 ? { middle: 0, size: 0 } : { middle: (least + most) / 2, size: most - least };
  };
  const [across, up] = [extent(0), extent(1)];
  const fit = (size: number, room: number): number => (size === 0 ? Infinity : (room - 2 * MARGIN) / size);
  const scale = Math.min(fit(across.size, width), fit(up.size, height));
  const factor = Number.isFinite(scale) ? scale : 0;
  const place = ([x, y]: MapPair['from']): MapPlace['from'] => ({ x: (x - across.middle) * factor, y: (up.middle - y) * factor });
  return shown.map((pair, i) => ({ key: `${String(i)} ${pair.sourceLanguage}`, pair, from: place(pair.from), to: place(pair.to) }));
}

/** How far apart the sentences of a pair stand on the map, in its own units. */
export function mapDistance({ from, to }: Pick<MapPair, 'from' | 'to'>): number {
  return Math.hypot(from[0] - to[0], from[1] - to[1]);
}
