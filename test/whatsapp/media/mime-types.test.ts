import { expect, it } from 'vitest';
import { typeByName } from '../../../src/whatsapp/media/mime-types.ts';

it('the type of a document is what the end of its name says, and nothing in particular otherwise', () => {
  expect(typeByName('offer.pdf')).toBe('application/pdf');
  expect(typeByName('Offer.final.XLSX')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
  for (const name of ['', 'pdf', 'a.', 'a.unheard', 'a.constructor', 'a.__proto__'])
    expect(typeByName(name), name).toBe('application/octet-stream');
});
