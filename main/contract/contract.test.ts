/** Facts about the door. */
import { describe, expect, it } from 'vitest';
import { contract, errorRecordFrom, errorRecordSchema, jobStateSchema, trainingEventSchema, uploadInputSchema } from './index.ts';

type Row = { readonly path: string; readonly row: unknown };

function rowsOf(value: unknown, path: string): readonly Row[] {
  if (typeof value !== 'object' || value === null) return [];
  return '~orpc' in value ? [{ path, row: value }] : Object.entries(value).flatMap(([name, child]) => rowsOf(child, path === '' ? name : `${path}.${name}`));
}

const rows = rowsOf(contract, '');

describe('every procedure', () => {
  it('is found, so that the facts below say something', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.map(({ path }) => path)).toContain('job.watch');
  });

  it('has a schema on both sides and the one error', () => {
    for (const { path, row } of rows) expect(row, path).toMatchObject({ '~orpc': { inputSchema: expect.anything(), outputSchema: expect.anything(), errorMap: { ISOGLOSS: expect.anything() } } });
  });
});

describe('what passes', () => {
  it('is bounded: an upload id is no path, a piece is no text, a file has a largest size', () => {
    const piece = { projectId: 'p', upload: 'u', name: 'a.tsv', offset: 0, totalBytes: 1, chunk: new Blob(['x']) };
    expect(uploadInputSchema.safeParse(piece).success).toBe(true);
    for (const change of [{ upload: '../u' }, { projectId: 'a/b' }, { chunk: 'x' }, { totalBytes: 1e12 }, { offset: -1 }, { offset: 0.5 }, { name: '' }, { name: 'x'.repeat(1000) }]) {
      expect(uploadInputSchema.safeParse({ ...piece, ...change }).success, JSON.stringify(change)).toBe(false);
    }
  });

  it('is closed: an unknown kind or status is refused', () => {
    expect(trainingEventSchema.safeParse({ kind: 'message', code: 'a.b', message: 'm' }).success).toBe(true);
    expect(trainingEventSchema.safeParse({ kind: 'other' }).success).toBe(false);
    expect(jobStateSchema.safeParse({ status: 'queued' }).success).toBe(true);
    expect(jobStateSchema.safeParse({ status: 'sleeping' }).success).toBe(false);
  });
});

describe('whatever a call throws', () => {
  it('becomes a record', () => {
    const record = { family: 'input', code: 'a.b', message: 'm', data: { line: 3, names: ['x'] } };
    expect(errorRecordFrom({ data: record })).toEqual(record);
    expect(errorRecordFrom(Object.assign(new Error('Input validation failed'), { code: 'BAD_REQUEST' }))).toMatchObject({ family: 'invariant', code: 'contract.refused' });
    expect(errorRecordFrom(new DOMException('x', 'AbortError'))).toMatchObject({ family: 'cancellation' });
    for (const thrown of [new Error('socket closed'), 'text', null, undefined, 7, {}]) expect(errorRecordSchema.safeParse(errorRecordFrom(thrown)).success).toBe(true);
  });
});
