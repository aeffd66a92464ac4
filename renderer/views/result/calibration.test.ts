// @vitest-environment happy-dom
/** Does the card say whether bringing the languages together helps, begin with what was chosen, and let it be used or not? */
import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { CalibrationOutcome, CalibrationStatus, Job, JobState } from '../../../main/contract/index.ts';
import CalibrationCard from '../../components/CalibrationCard.vue';
import { emptyRecord } from '../../stores/job-record.ts';

const accuracy = (share: number) => ({ accuracy: share, forward: share, backward: share });
const measured = (...changes: readonly (readonly [number, number])[]): CalibrationOutcome => ({
  at: 1, steps: { shift: true, scale: true, rotate: 'pairs' }, pivot: 'en', languages: [], inUse: false,
  heldOut: changes.map(([before, after]) => ({ source: 'sw', target: 'en', pairs: 40, before: accuracy(before), after: accuracy(after) })),
});
const job: Job = { id: 'j', request: { kind: 'calibrate', projectId: 'p', steps: { shift: true, scale: true, rotate: 'pairs' } }, startedAt: 1, endedAt: null, state: { status: 'queued' } };
const draw = (change: Partial<CalibrationStatus> = {}, state: JobState | null = null) => mount(CalibrationCard, { props: { status: { canCalibrate: true, hasPairs: true, calibration: null, ...change }, record: state === null ? null : emptyRecord({ ...job, state }), writable: true, working: false } });

describe('bringing languages together', () => {
  it('begins with shift and scale; turning is asked for, with its price beside it; with no step it cannot begin', async () => {
    const card = draw();
    await card.find('form').trigger('submit');
    expect(card.text()).not.toContain('very many pairs');
    await card.findAll('input')[1]?.setValue(false);
    await card.find('select').setValue('pairs');
    await card.find('form').trigger('submit');
    expect(card.emitted('start')).toEqual([[{ shift: true, scale: true, rotate: 'none' }], [{ shift: true, scale: false, rotate: 'pairs' }]]);
    expect(card.text()).toContain('Turning needs very many pairs');
    await card.findAll('input')[0]?.setValue(false);
    await card.find('select').setValue('none');
    expect(card.find('button').attributes('disabled')).toBeDefined();
    expect(draw({ hasPairs: false }).find('option[value="pairs"]').attributes('disabled')).toBeDefined();
  });

  it.each([
    [[[0.5, 0.6]], 'It helps here.'],
    [[[0.5, 0.4]], 'It does harm here'],
    [[[0.5, 0.6], [0.5, 0.4]], 'helps some languages and harms others'],
    [[[0.5, 0.502]], 'changes nothing'],
    [[], 'too few pairs to hold any out'],
  ] as const)('measured %j says: %s', (changes, said) => {
    expect(draw({ calibration: measured(...changes) }).text()).toContain(said);
  });

  it('is used only when the person says so, and can be left again', async () => {
    const card = draw({ calibration: measured([0.5, 0.61]) });
    expect(card.text()).toContain('nearest 61 times in 100 (before: 50), on 40 pairs held out');
    await card.find('button').trigger('click');
    const used = draw({ calibration: { ...measured([0.5, 0.61]), inUse: true } });
    expect(used.text()).toContain('Search uses it now');
    await used.find('button').trigger('click');
    expect([card.emitted('use'), used.emitted('use')]).toEqual([[[true]], [[false]]]);
  });

  it('running shows how far and can be cancelled; failed says why; without a model it says what is needed', async () => {
    const running = draw({}, { status: 'running', progress: { phase: 'calibrating', done: 1, total: 4, unit: 'languages' }, leftMs: null });
    expect(running.text()).toContain('1 of 4 languages');
    await running.find('button').trigger('click');
    expect(running.emitted('cancel')).toHaveLength(1);
    expect(draw({}, { status: 'failed', error: { family: 'input', code: 'calibration.too-few-pairs', message: 'm', data: {} }, canResume: false }).text()).toContain('too few sentence pairs');
    expect(draw({ canCalibrate: false }).text()).toContain('This needs a trained model');
  });
});
