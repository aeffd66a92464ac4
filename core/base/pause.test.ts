import { describe, expect, it } from 'vitest';
import { pauseFor } from './pause.ts';

describe('pauseFor', () => {
  it('lets a cancel arrive that was only a message so far', async () => {
    const controller = new AbortController();
    setImmediate(() => { controller.abort(); });
    await expect(pauseFor(controller.signal)).rejects.toThrow(/abort/i);
  });

  it('goes on without a cancel', async () => {
    await expect(pauseFor(new AbortController().signal)).resolves.toBeUndefined();
    await expect(pauseFor(undefined)).resolves.toBeUndefined();
  });
});
