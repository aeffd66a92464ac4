/** Do the sentences stand on the drawing where the map says, all of them inside, on one scale? */
import { describe, expect, it } from 'vitest';
import type { MapPair } from '../../main/contract/index.ts';
import { mapDistance, mapPlaces } from './map-places.ts';

const pair = (from: [number, number], to: [number, number]): MapPair => ({ source: 'maji', target: 'water', sourceLanguage: 'sw', targetLanguage: 'en', from, to });
const room = { width: 216, height: 116 };

describe('the places of the map', () => {
  it('fill the drawing with all that must fit, upwards for larger y', () => {
    const far = pair([3, 0], [1, 0.25]);
    expect(mapPlaces({ shown: [far], fitted: [far], ...room })[0]).toMatchObject({ from: { x: 100, y: 12.5 }, to: { x: -100, y: -12.5 } });
    const high = pair([0, 1], [0, -1]);
    expect(mapPlaces({ shown: [high], fitted: [high], ...room })[0]).toMatchObject({ from: { y: -50 }, to: { y: 50 } });
  });

  it('keep one scale for two maps, so that nearer is drawn nearer', () => {
    const [before, now] = [pair([1, 0], [-1, 0]), pair([0.1, 0], [-0.1, 0])];
    const fitted = [before, now];
    const gap = (shown: MapPair): number => mapPlaces({ shown: [shown], fitted, ...room }).reduce((sum, { from, to }) => sum + from.x - to.x, 0);
    expect(gap(before)).toBeCloseTo(10 * gap(now), 9);
  });

  it('of points that all coincide is the centre', () => {
    expect(mapPlaces({ shown: [pair([0, 0], [0, 0])], fitted: [pair([0, 0], [0, 0])], ...room })[0]?.from).toEqual({ x: 0, y: 0 });
    expect(mapDistance(pair([0, 3], [4, 0]))).toBe(5);
  });
});
