import { expect, it } from 'vitest';
import { mimeTypeOfFileName } from '../../../src/whatsapp/media/mime-types.ts';

it('mimeTypeOfFileName() returns the type of the extension, or application/octet-stream', () => {
  expect(mimeTypeOfFileName('offer.pdf')).toBe('application/pdf');
  expect(mimeTypeOfFileName('Offer.final.XLSX')).toBe(
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  );
  expect([mimeTypeOfFileName('a.vcf'), mimeTypeOfFileName('a.flac')]).toEqual(['text/vcard', 'audio/flac']);
  for (const name of ['', 'pdf', 'a.', 'a.unheard', 'a.constructor', 'a.__proto__'])
    expect(mimeTypeOfFileName(name), name).toBe('application/octet-stream');
});
