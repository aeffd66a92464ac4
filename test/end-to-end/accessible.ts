/** Can everybody use the view that is shown? What axe-core finds. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Whatever the view, nobody may be shut out: axe-core finds nothing to complain of.
 * Legacy mode looks at this page alone, which has no frames (the security policy forbids them), and takes a third of the time.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations, passes } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode().analyze();
  expect(passes.length).toBeGreaterThan(5);
  expect(violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}
