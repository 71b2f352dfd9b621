// Copying of texts, with and without access to the clipboard.
import { expect, it, vi } from 'vitest';
import { installPage, loadModule } from './page.ts';

interface View {
  copyText(text: string, element: object): Promise<boolean>;
}

async function copy(clipboard: object | undefined) {
  installPage();
  const selected: unknown[] = [];
  vi.stubGlobal('navigator', { languages: ['en'], clipboard });
  vi.stubGlobal('getSelection', () => ({ selectAllChildren: (element: unknown) => void selected.push(element) }));
  const { copyText } = await loadModule<View>('view.js');
  const element = {};
  return { isCopied: await copyText('text', element), isSelected: selected[0] === element };
}

it('copyText() copies the text to the clipboard', async () => {
  const written: string[] = [];
  const result = await copy({ writeText: async (text: string) => void written.push(text) });
  expect([result, written]).toEqual([{ isCopied: true, isSelected: false }, ['text']]);
});

it('copyText() selects the text over plain HTTP, where a page has no clipboard', async () => {
  expect(await copy(undefined)).toEqual({ isCopied: false, isSelected: true });
});

it('copyText() selects the text when the browser denies access to the clipboard', async () => {
  const refused = { writeText: () => Promise.reject(new DOMException('', 'NotAllowedError')) };
  expect(await copy(refused)).toEqual({ isCopied: false, isSelected: true });
});
