/** Facts about the line of a history of scores, and about groups of spellings as a person writes them. */
import { describe, expect, it } from 'vitest';
import { formatClock } from '../composables/place-words.ts';
import { groupsOf, textOf } from '../stores/spelling-groups.ts';
import { historyLine } from './score-line.ts';

describe('a history of scores', () => {
  it('runs from left to right, 1 at the top, whatever is outside 0 and 1 at the edge', () => {
    expect(historyLine({ values: [0, 0.5, 1.2], width: 100, height: 80 })).toBe('0.0,80.0 50.0,40.0 100.0,0.0');
    expect(historyLine({ values: [0.5], width: 100, height: 80 })).toBe('0.0,40.0');
    expect(historyLine({ values: [], width: 100, height: 80 })).toBe('');
  });
});

describe('groups of spellings', () => {
  it('are lines with = between; what says nothing is left out, and all comes back as written', () => {
    expect(groupsOf('ŋ = ng = ñ\n\nsh=š \nalone\nx = x')).toEqual([['ŋ', 'ng', 'ñ'], ['sh', 'š']]);
    expect(groupsOf(textOf([['ŋ', 'ng'], ['sh', 'š']]))).toEqual([['ŋ', 'ng'], ['sh', 'š']]);
  });
});

describe('a time in a recording', () => {
  it('is said in minutes and seconds, with hours only where there are some', () => {
    expect([0, 83_500, 59_960, 3_723_000].map(formatClock)).toEqual(['0:00.0', '1:23.5', '1:00.0', '1:02:03.0']);
  });
});
