import { describe, expect, it } from 'vitest';
import { toBody } from '../../../src/http/plugins/form-fields.ts';

const parseForm = (text: string) => toBody(new URLSearchParams(text));

describe('toBody', () => {
  it.each([
    ['number=1&text=a+b', { number: '1', text: 'a b' }],
    ['mentioned=1&mentioned=2', { mentioned: ['1', '2'] }],
    ['mentioned[]=1', { mentioned: ['1'] }],
    ['mentioned[1]=b&mentioned[0]=a', { mentioned: ['a', 'b'] }],
    ['options[delay]=5&options[quoted][key][id]=A', { options: { delay: '5', quoted: { key: { id: 'A' } } } }],
    ['contact[0][fullName]=Ada&contact[0][phoneNumber]=1', { contact: [{ fullName: 'Ada', phoneNumber: '1' }] }],
    ['options[mentions][mentioned][]=1', { options: { mentions: { mentioned: ['1'] } } }],
    ['text=1%2B1', { text: '1+1' }],
    ['a[b=1&[]=2&a]=3', { 'a[b': '1', '[]': '2', 'a]': '3' }],
    [`${'a'}${'[b]'.repeat(9)}=1`, { 'a[b][b][b][b][b][b][b][b][b]': '1' }],
    ['a[__proto__][b]=1&__proto__[x]=1&constructor=1', {}],
    ['', {}],
  ])('toBody() converts the fields of the form %s to a body', (text, body) => {
    expect(parseForm(text)).toEqual(body);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});
