/** Which points of a curve does its table hold? A few, evenly spread, the first and the last among them. */

export type Point = { readonly step: number; readonly value: number };

export function tableRows(points: readonly Point[], limit: number): readonly Point[] {
  if (points.length <= limit) return points;
  const chosen = new Set<Point>();
  for (let row = 0; row < limit; row += 1) {
    const point = points[Math.round((row * (points.length - 1)) / (limit - 1))];
    if (point !== undefined) chosen.add(point);
  }
  return [...chosen];
}
