import { expect, it } from 'vitest';
import { typeByName } from '../../../src/whatsapp/media/mime-types.ts';

it('typeByName returns the type of the extension, or application/octet-stream', () => {
  expect(typeByName('offer.pdf')).toBe('application/pdf');
  expect(typeByName('Offer.final.XLSX')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
  for (const name of ['', 'pdf', 'a.', 'a.unheard', 'a.constructor', 'a.__proto__'])
    expect(typeByName(name), name).toBe('application/octet-stream');
});
