// @vitest-environment happy-dom
/** Do the parts that hang over the page, and the library with its many states, say what they should? */
import { mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { nextTick } from 'vue';
import type { Excerpt, FolderView, Job, JobState, Library } from '../../main/contract/index.ts';
import ConfirmDialog from '../components/ConfirmDialog.vue';
import ExcerptDialog from '../components/ExcerptDialog.vue';
import FolderDialog from '../components/FolderDialog.vue';
import { emptyRecord, type JobRecord } from '../stores/job-record.ts';
import { failed, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import LibraryPanel from './search/LibraryPanel.vue';

const pageText = (): string => (document.body.textContent ?? '').replace(/\s+/g, ' ');
const pageButton = (text: string): HTMLButtonElement => {
  const found = [...document.body.querySelectorAll('button')].find((button) => button.textContent?.includes(text));
  if (found === undefined) throw new Error(`no button says "${text}"`);
  return found;
};

let open: VueWrapper | null = null;
afterEach(() => {
  open?.unmount();
  open = null;
});

describe('the folder browser', () => {
  const view: FolderView = {
    path: '/person', parent: '/', isCut: true, isWritable: true, places: [{ kind: 'documents', name: 'Documents', path: '/person/Documents' }],
    entries: [{ kind: 'folder', name: 'texts', path: '/person/texts' }, { kind: 'file', name: 'pairs.tsv', path: '/person/pairs.tsv', sizeBytes: 35_000, modifiedAt: 1 }],
  };
  const draw = async (state: Loadable<FolderView>, choose: 'folder' | 'files'): Promise<VueWrapper> => {
    open = mount(FolderDialog, { attachTo: document.body, props: { open: true, choose, title: 'T', sentence: 'S', view: state, confirmLabel: 'Use' } });
    await nextTick();
    return open;
  };

  it('goes into folders, and files are chosen by pressing them', async () => {
    const dialog = await draw(ready(view), 'files');
    expect(pageText()).toContain('There is more in this folder');
    expect(pageButton('Use').disabled).toBe(true);
    pageButton('texts').click();
    expect(dialog.emitted('browse')).toEqual([['/person/texts']]);
    pageButton('pairs.tsv').click();
    await nextTick();
    expect(pageButton('pairs.tsv').getAttribute('aria-pressed')).toBe('true');
    expect(pageText()).toContain('1 file chosen');
    pageButton('Use').click();
    expect(dialog.emitted('confirm')).toEqual([[['/person/pairs.tsv']]]);
  });

  it('a folder is chosen by standing in it; files cannot be pressed', async () => {
    const dialog = await draw(ready(view), 'folder');
    expect(pageButton('pairs.tsv').disabled).toBe(true);
    pageButton('Use').click();
    expect(dialog.emitted('confirm')).toEqual([[['/person']]]);
  });

  it('says when a folder is empty, is being read, or may not be read, and leads home', async () => {
    await draw(ready({ ...view, entries: [] }), 'files');
    expect(pageText()).toContain('This folder is empty.');
    open?.unmount();
    await draw(LOADING, 'files');
    expect(pageText()).toContain('Loading');
    open?.unmount();
    const dialog = await draw(failed({ family: 'environment', code: 'disk.no-permission', message: '/x', data: {} }), 'files');
    expect(pageText()).toContain('may not read or write there');
    pageButton('Go to the home folder').click();
    expect(dialog.emitted('browse')).toEqual([[null]]);
  });
});

describe('a question before something is lost', () => {
  it('can be taken back or confirmed', async () => {
    open = mount(ConfirmDialog, { attachTo: document.body, props: { open: true, title: 'Cancel the training?', sentence: 'It is lost.', confirmLabel: 'Cancel the training' } });
    await nextTick();
    const order: string[] = [];
    await open.setProps({ onConfirm: () => order.push('confirm'), onClose: () => order.push('close') });
    pageButton('Cancel the training').click();
    await nextTick();
    expect(order).toEqual(['confirm', 'close']); // what is asked about is still known when it is confirmed
    expect(open.emitted('confirm')).toHaveLength(1);
    pageButton('Back').click();
    await nextTick();
    expect(open.emitted('close')?.length).toBeGreaterThan(0);
  });
});

describe('a passage in its document', () => {
  it('stands in its direction with the passage marked, and says when the file has changed', async () => {
    const excerpt: Excerpt = { path: 'ar/a.md', title: 'الأرز', before: 'قبل ', text: 'الأرز', after: ' بعد', direction: 'rtl', hasChanged: true };
    open = mount(ExcerptDialog, { attachTo: document.body, props: { excerpt: ready(excerpt), hit: null } });
    await nextTick();
    expect(document.body.querySelector('.excerpt')?.getAttribute('dir')).toBe('rtl');
    expect(document.body.querySelector('.excerpt mark')?.textContent).toBe('الأرز');
    expect(pageText()).toContain('has changed since it was read');
  });
});

describe('the library', () => {
  const folders = [{ name: '', path: '/a/docs', state: 'present' }] as const;
  const indexed: Exclude<Library, { status: 'none' }> = { status: 'indexed', folders, watching: 'events', indexedAt: 1, madeBy: 'this-model', changes: { added: 0, changed: 0, removed: 0 }, chunks: 1512, documents: 1, failed: 0, files: [{ path: 'a.md', sizeBytes: 1, chunks: 2, state: { status: 'read' } }] };
  const job: Job = { id: 'j', request: { kind: 'index', projectId: 'p' }, startedAt: 1, endedAt: null, state: { status: 'queued' } };
  const inState = (state: JobState): JobRecord => emptyRecord({ ...job, state });
  const draw = (library: Exclude<Library, { status: 'none' }>, indexing: JobRecord | null = null) => mount(LibraryPanel, { props: { library, indexing, working: false } });

  it('that is read says how much it holds', () => {
    expect(draw(indexed).text()).toContain('docs · 1 document, 1,512 passages');
  });

  it.each([
    ['not read', { status: 'not-indexed', folders, watching: 'events', isSearchable: false }, 'not read yet'],
    ['read in part', { status: 'not-indexed', folders, watching: 'events', isSearchable: true }, 'what has been read so far can be searched'],
    ['missing', { status: 'folder-missing', folders, watching: 'events' }, 'is not there now'],
    ['made by another model', { ...indexed, madeBy: 'other-model' }, 'The model has changed since'],
    ['stale', { ...indexed, changes: { added: 2, changed: 0, removed: 1 } }, '3 documents are new, changed or gone'],
  ] as const)('that is %s says so', (_, library, said) => {
    expect(draw(library).text()).toContain(said);
  });

  it('being read shows how far, offers to cancel, and nothing else may be done to it', async () => {
    const panel = draw({ status: 'not-indexed', folders, watching: 'events', isSearchable: false }, inState({ status: 'running', progress: { phase: 'encoding', done: 3, total: 60, unit: 'files' }, leftMs: 4_000 }));
    expect(panel.text()).toContain('3 of 60 files');
    const cancel = panel.findAll('button').find((button) => button.text() === 'Cancel');
    await cancel?.trigger('click');
    expect(panel.emitted('cancel')).toHaveLength(1);
    expect(panel.find('button[disabled]').text()).toBe('Another folder');
  });

  it('being read can wait and go on', async () => {
    const progress = { phase: 'encoding', done: 3, total: 60, unit: 'files' };
    const running = draw(indexed, inState({ status: 'running', progress, leftMs: 60_000 }));
    expect(running.text()).toContain('seconds left');
    await running.findAll('button').find((button) => button.text() === 'Pause')?.trigger('click');
    const paused = draw(indexed, inState({ status: 'paused', progress }));
    await paused.findAll('button').find((button) => button.text() === 'Go on')?.trigger('click');
    expect([running.emitted('pause'), paused.emitted('resume')]).toEqual([[[]], [[]]]);
  });

  it('says whether it is followed, and lets the person change that; several folders stand one by one', async () => {
    const panel = draw({ ...indexed, folders: [{ name: 'docs', path: '/a/docs', state: 'present' }, { name: 'usb', path: '/b/usb', state: 'missing' }] });
    expect(panel.text()).toContain('Changes in the folder are noticed by themselves.');
    expect(panel.text()).toContain('not there now');
    await panel.findAll('button').find((button) => button.text() === 'Stop')?.trigger('click');
    await panel.findAll('button').filter((button) => button.text() === 'Remove')[1]?.trigger('click');
    expect([panel.emitted('watch'), panel.emitted('remove')]).toEqual([[[false]], [['/b/usb']]]);
  });

  it('whose reading failed says why and offers to try again; interrupted, to read again', async () => {
    const panel = draw({ status: 'not-indexed', folders, watching: 'events', isSearchable: false }, inState({ status: 'failed', error: { family: 'environment', code: 'disk.full', message: 'ENOSPC', data: {} }, canResume: false }));
    expect(panel.text()).toContain('The disk is full');
    await panel.findAll('button').find((button) => button.text() === 'Try again')?.trigger('click');
    expect(panel.emitted('index')).toHaveLength(1);
    expect(draw({ status: 'not-indexed', folders, watching: 'events', isSearchable: false }, inState({ status: 'interrupted', canResume: false })).text()).toContain('ended while it was reading');
  });
});
