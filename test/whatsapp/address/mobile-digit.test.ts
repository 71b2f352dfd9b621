import { describe, expect, it } from 'vitest';
import { numberSpellingsOf } from '../../../src/whatsapp/address/mobile-digit.ts';

describe('numberSpellingsOf', () => {
  it.each([
    ['5531987654321', ['5531987654321', '553187654321']],
    ['553187654321', ['553187654321', '5531987654321']],
    ['5215512345678', ['5215512345678', '525512345678']],
    ['525512345678', ['525512345678', '5215512345678']],
    ['5491112345678', ['5491112345678', '541112345678']],
    ['541112345678', ['541112345678', '5491112345678']],
    ['4915112345678', ['4915112345678']],
  ])('numberSpellingsOf(%s) returns %j', (digits, spellings) => expect(numberSpellingsOf(digits)).toEqual(spellings));
});
