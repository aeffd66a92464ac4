/** What does a failed call carry? One record, the same in every area. */
import { oc } from '@orpc/contract';
import { z } from 'zod';

export const errorFamilySchema = z.enum(['input', 'environment', 'cancellation', 'invariant']);

/** Equals ErrorRecord of core/base/errors.ts without the stack, which stays on its side of the door. */
export const errorRecordSchema = z.object({
  family: errorFamilySchema,
  /** `area.reason`; the window translates by this, never by the text. */
  code: z.string(),
  /** Plain English: what was expected, what was found, where, what to do. */
  message: z.string(),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string()).readonly()])),
});
export type ErrorRecord = z.infer<typeof errorRecordSchema>;

/** The one error code that oRPC sees. */
export const ERROR_CODE = 'ISOGLOSS';

/** What every procedure begins with. */
export const procedure = oc.errors({ [ERROR_CODE]: { data: errorRecordSchema } } as const);

/** The record inside whatever a call threw; a broken connection and a refused input become records too. */
export function errorRecordFrom(thrown: unknown): ErrorRecord {
  if (typeof thrown === 'object' && thrown !== null && 'data' in thrown) {
    const parsed = errorRecordSchema.safeParse(thrown.data);
    if (parsed.success) return parsed.data;
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'BAD_REQUEST') {
    return { family: 'invariant', code: 'contract.refused', message: `The window asked for something the program does not allow: ${message}`, data: {} };
  }
  if (thrown instanceof Error && thrown.name === 'AbortError') return { family: 'cancellation', code: 'job.cancelled', message: 'Cancelled.', data: {} };
  return { family: 'environment', code: 'contract.unreachable', message: `Isogloss does not answer (${message}). If its window or terminal was closed, start it again.`, data: {} };
}
