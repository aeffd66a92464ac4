// @vitest-environment happy-dom
/** Do letters, fonts, finding, taking back and licences do what they say? */
import { mount } from '@vue/test-utils';
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { nextTick } from 'vue';
import { isTyped, useUndo, useUndoKeys } from '../composables/useUndo.ts';
import { likelyRole } from '../composables/useDroppedFiles.ts';
import FindBar from './FindBar.vue';
import LanguageLook from './LanguageLook.vue';
import LettersPalette from './LettersPalette.vue';
import LicenceEntry from './LicenceEntry.vue';
import UndoNote from './UndoNote.vue';

describe('the palette of letters', () => {
  it('puts a letter where the person writes, over what is marked, and tells the field', async () => {
    const field = document.createElement('input');
    document.body.append(field);
    field.value = 'maji XX baridi';
    field.setSelectionRange(5, 7);
    const heard: string[] = [];
    field.addEventListener('input', () => heard.push(field.value));
    const palette = mount(LettersPalette, { props: { groups: [{ tag: 'ewo', name: 'Ewondo', letters: ['ŋ', 'ɔ́'] }], field: () => field } });
    expect(palette.find('[role=group]').exists()).toBe(false);
    await palette.find('button').trigger('click');
    expect(palette.find('[role=group]').attributes('aria-label')).toBe('Letters of Ewondo');
    await palette.findAll('.palette-letter')[1]?.trigger('click');
    expect(field.value).toBe('maji ɔ́ baridi');
    expect(heard).toEqual(['maji ɔ́ baridi']);
    expect(document.activeElement).toBe(field);
    field.remove();
  });

  it('is not there where no language has letters of its own', () => {
    expect(mount(LettersPalette, { props: { groups: [{ tag: 'en', name: 'English', letters: [] }], field: () => null } }).find('button').exists()).toBe(false);
  });
});

describe('the look of a language', () => {
  const draw = (look = { font: null as string | null, letters: null as string | null }) => mount(LanguageLook, { props: { tag: 'my', name: 'Burmese', script: 'Mymr', look, usualLetters: ['က'] } });

  it('offers the faces that write its script, and another one by name', async () => {
    const look = draw();
    expect(look.findAll('option').map((option) => option.text())).toEqual(['Chosen by Isogloss: Noto Sans Myanmar', 'Noto Sans Myanmar', 'Padauk', 'Another font of this computer …']);
    await look.find('select').setValue('Padauk');
    expect(look.emitted('change')).toEqual([[{ font: 'Padauk', letters: null }]]);
    await look.find('select').setValue('other');
    expect(look.findAll('input')).toHaveLength(2);
    expect(draw({ font: 'Pyidaungsu', letters: 'က ခ' }).findAll('input').map((input) => input.element.value)).toEqual(['Pyidaungsu', 'က ခ']);
  });

  it('takes letters, and none said means those of the texts', async () => {
    const look = draw({ font: 'Padauk', letters: 'က' });
    await look.findAll('input').at(-1)?.setValue('  ');
    expect(look.emitted('change')?.at(-1)).toEqual([{ font: 'Padauk', letters: null }]);
  });
});

describe('finding on the page', () => {
  it('says how many places there are and goes through them', async () => {
    const bar = mount(FindBar, { props: { wanted: 'ziwa', count: 3, at: 2 } });
    expect(bar.find('[role=status]').text()).toBe('2 of 3');
    await bar.find('form').trigger('submit');
    await bar.findAll('button')[0]?.trigger('click');
    expect(bar.emitted('step')).toEqual([[1], [-1]]);
    await bar.find('input').setValue('mto');
    expect(bar.emitted('update:wanted')).toEqual([['mto']]);
    expect(mount(FindBar, { props: { wanted: 'x', count: 0, at: 0 } }).find('[role=status]').text()).toBe('Not on this page');
  });
});

describe('taking back', () => {
  beforeEach(() => {
    setActivePinia(createPinia());
    document.body.replaceChildren();
  });

  it('goes backwards through the decisions, one at a time; one that fails stays', async () => {
    const undo = useUndo();
    const back: string[] = [];
    undo.decided('first', () => Promise.resolve(void back.push('first')));
    undo.decided('second', () => Promise.reject(new Error('no')));
    await undo.takeBack();
    expect(undo.offered.value?.sentence).toBe('second');
    undo.forget();
    undo.decided('third', () => Promise.resolve(void back.push('third')));
    await undo.takeBack();
    await undo.takeBack();
    expect(back).toEqual(['third']);
    expect(undo.offered.value).toBeNull();
  });

  it('hears the keys everywhere but where text is typed', () => {
    let taken = 0;
    const host = mount({ setup: () => { useUndoKeys(() => Promise.resolve(void (taken += 1))); return () => null; } });
    const field = document.createElement('input');
    const box = document.createElement('input');
    box.type = 'checkbox';
    document.body.append(field, box);
    const press = (target: HTMLElement, change: KeyboardEventInit = {}): void => void target.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true, ...change }));
    press(field);
    press(document.body, { shiftKey: true });
    press(document.body, { ctrlKey: false });
    expect(taken).toBe(0);
    press(box);
    press(document.body, { ctrlKey: false, metaKey: true });
    expect(taken).toBe(2);
    expect(isTyped(document.createElement('textarea'))).toBe(true);
    host.unmount();
    press(box);
    expect(taken).toBe(2);
  });

  it('is offered with its sentence, in a region that is heard', async () => {
    const note = mount(UndoNote, { props: { sentence: 'Marked as right.', working: false } });
    expect(note.attributes('role')).toBe('status');
    expect(note.text()).toContain('Marked as right.');
    await note.findAll('button')[0]?.trigger('click');
    expect(note.emitted('take-back')).toHaveLength(1);
  });
});

describe('a field where text is typed', () => {
  it('is never handled by keys: no component listens to key presses of a field', () => {
    const sources = Object.entries(import.meta.glob<string>('../**/*.vue', { query: '?raw', import: 'default', eager: true }));
    expect(sources.length).toBeGreaterThan(40);
    const inputs = sources.flatMap(([path, text]) => [...text.matchAll(/<(?:input|textarea)\b[^>]*>/g)].map(([tag]) => ({ path, tag })));
    expect(inputs.length).toBeGreaterThan(15);
    expect(inputs.filter(({ tag }) => /@(?:keydown|keyup|keypress|beforeinput)/.test(tag)).map(({ path }) => path)).toEqual([]);
  });
});

describe('dropped files', () => {
  it.each([['a.jsonl', 'questions'], ['a.jsonl.gz', 'questions'], ['a.tmx', 'pairs'], ['a.tsv', 'pairs'], ['a.eaf', 'pairs'], ['notes.txt', 'texts'], ['old.docx', 'texts'], ['bible.usfm', 'texts']] as const)('%s goes to the box of %s', (name, role) => {
    expect(likelyRole(name)).toBe(role);
  });
});

describe('licences', () => {
  it('come into the page when they are opened', async () => {
    const entry = mount(LicenceEntry, { props: { name: 'zod', terms: 'MIT', text: 'Permission is hereby granted' } });
    expect(entry.text()).not.toContain('Permission');
    await entry.find('details').trigger('toggle');
    await nextTick();
    expect(entry.text()).toContain('Permission');
  });
});
