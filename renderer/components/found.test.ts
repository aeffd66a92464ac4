// @vitest-environment happy-dom
/** Are what was found, and the files it was found in, drawn with words a person understands? */
import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { Hit } from '../../main/contract/index.ts';
import '../locales/test-languages.ts';
import HighlightedText from './HighlightedText.vue';
import LibraryFiles from './LibraryFiles.vue';
import SearchHit from './SearchHit.vue';
import { button, words } from './test-drawn.ts';

describe('a hit', () => {
  const hit: Hit = {
    chunkId: '1', score: 1, path: 'ar/rice.md', title: 'الأرز', location: { line: 1204, row: null, heading: 'الأرز', paragraph: null, page: null, verse: null, timeMs: null, speaker: null, tier: null, sheet: null, slide: null, start: 0, end: 9 }, text: 'ينقل الأرز', language: 'ar', direction: 'rtl',
    highlights: [{ start: 5, end: 10, kind: 'translated-word' }],
    reasons: [{ kind: 'translated-words', words: [{ query: 'rice', document: 'الأرز' }] }, { kind: 'similar-meaning', similarity: 0.4 }],
    aligned: [], judged: null,
  };

  it('stands in its own direction, with marks, place and reasons in words', () => {
    const wrapper = mount(SearchHit, { props: { hit, judgeable: true } });
    expect(wrapper.find('.user-text').attributes('dir')).toBe('rtl');
    expect(wrapper.find('mark').text()).toBe('الأرز');
    expect(wrapper.findAll('bdi').map((one) => one.text())).toEqual(['الأرز', 'line 1,204', 'ar/rice.md']);
    expect(wrapper.findAll('.chip').map((chip) => chip.text())).toEqual(['translated: \u2068rice\u2069 → \u2068الأرز\u2069', 'similar meaning']);
  });

  it('can be opened', async () => {
    const wrapper = mount(SearchHit, { props: { hit, judgeable: true } });
    await button(wrapper, 'Open here').trigger('click');
    expect(wrapper.emitted('open')).toHaveLength(1);
  });

  it('is judged by one press, and taken back by another', async () => {
    const wrapper = mount(SearchHit, { props: { hit, judgeable: true } });
    await button(wrapper, 'Right').trigger('click');
    const judged = mount(SearchHit, { props: { hit: { ...hit, judged: 'right' }, judgeable: true } });
    expect(button(judged, 'Right').attributes('aria-pressed')).toBe('true');
    await button(judged, 'Right').trigger('click');
    expect([wrapper.emitted('judge'), judged.emitted('judge')]).toEqual([[['right']], [[null]]]);
    expect(mount(SearchHit, { props: { hit, judgeable: false } }).text()).not.toContain('Right');
  });

  it('of a recording or a Bible names its time or verse rather than a line, and shows the translation beside it', () => {
    const spoken: Hit = { ...hit, location: { ...hit.location, timeMs: { start: 83_500, end: 90_000 }, speaker: 'Amina' }, aligned: [{ language: 'en', text: 'The rice is carried' }] };
    const wrapper = mount(SearchHit, { props: { hit: spoken, judgeable: true } });
    expect(wrapper.findAll('bdi').map((one) => one.text())).toEqual(['الأرز', '1:23.5 to 1:30.0', 'spoken by \u2068Amina\u2069', 'ar/rice.md']);
    expect(wrapper.find('.hit-aligned').text()).toBe('The rice is carried');
    const verse: Hit = { ...hit, location: { ...hit.location, verse: 'GEN 1:3' } };
    expect(mount(SearchHit, { props: { hit: verse, judgeable: true } }).find('.hit-place').text()).toContain('GEN 1:3');
  });

  it('text that looks like markup stays text', () => {
    const wrapper = mount(HighlightedText, { props: { text: '<b>a</b>', marks: [] } });
    expect(wrapper.find('b').exists()).toBe(false);
    expect(wrapper.text()).toBe('<b>a</b>');
  });
});

describe('files of the library', () => {
  it('that were left out are listed with the reason; read ones are not', () => {
    const wrapper = mount(LibraryFiles, { props: { files: [
      { path: 'a.md', sizeBytes: 1, chunks: 2, state: { status: 'read' } },
      { path: 'b.txt', sizeBytes: 1, chunks: 0, state: { status: 'failed', error: { family: 'input', code: 'x', message: 'This is not a text file.', data: {} } } },
    ], working: false } });
    expect(words(wrapper)).toBe('1 document was left out: show b.txt Try again This is not a text file. Try all of them again');
  });

  it('have the reason in the words of the window first, and in the program\'s own without the path, which stands above; stray bytes of a name are said', () => {
    const path = 'field/ni\uf7f1o/a\uf7e9.pdf';
    const wrapper = mount(LibraryFiles, { props: { files: [
      { path, sizeBytes: 1, chunks: 0, state: { status: 'failed', error: { family: 'input', code: 'documents.damaged-pdf', message: `/media/stick/${path}: expected a PDF, found a damaged one.`, data: {} } } },
    ], working: false } });
    expect(words(wrapper)).toContain('field/ni\\xF1o/a\\xE9.pdf Try again This PDF is damaged. Save or download it again. expected a PDF, found a damaged one.');
    expect(words(wrapper)).not.toContain('/media/stick');
  });

  it('can be tried again, one or all; those that are no documents cannot', async () => {
    const wrapper = mount(LibraryFiles, { props: { files: [
      { path: 'b.pdf', sizeBytes: 1, chunks: 0, state: { status: 'failed', error: { family: 'input', code: 'x', message: 'Cut off.', data: {} } } },
      { path: 'c.exe', sizeBytes: 1, chunks: 0, state: { status: 'skipped', reason: 'format' } },
    ], working: false } });
    expect(words(wrapper)).toContain('c.exe No kind of document that Isogloss reads.');
    await button(wrapper, 'Try again').trigger('click');
    await button(wrapper, 'Try all of them again').trigger('click');
    expect(wrapper.emitted('retry')).toEqual([[['b.pdf']], [null]]);
    expect(wrapper.findAll('.link-button')).toHaveLength(1);
  });
});
