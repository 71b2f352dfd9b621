import { describe, expect, it } from 'vitest';
import { toMessage, toProblems } from '../../../src/http/plugins/validation-errors.ts';

const callerNames = new Map([
  ['textMessage.text', 'text'],
  ['options.quoted', 'quoted'],
  ['options.delay', 'delay'],
]);
const noNames = new Map<string, string>();
const failure = (keyword: string, instancePath: string, params: object, details: object = {}) => ({
  keyword,
  instancePath,
  schemaPath: '',
  params: { ...params },
  ...details,
});

describe('validation errors', () => {
  it.each([
    [failure('type', '/number', {}, { parentSchema: { type: 'string' } }), 'number is not of a type(s) string'],
    [
      failure('type', '/owner', {}, { parentSchema: { type: ['string', 'null'] } }),
      'owner is not of a type(s) string,null',
    ],
    [failure('enum', '/presence', { allowedValues: ['a', 'b'] }), 'presence is not one of enum values: a,b'],
    [failure('enum', '/webhook/events/0', { allowedValues: ['A'] }), 'webhook.events[0] is not one of enum values: A'],
    [
      failure('enum', '/events/0', { allowedValues: ['CALL', 'MESSAGES_UPSERT'] }, { data: 'MESSAGE_UPSERT' }),
      'events[0] is not one of enum values: CALL,MESSAGES_UPSERT. Did you mean MESSAGES_UPSERT?',
    ],
    [
      failure('enum', '/events/0', { allowedValues: ['CALL', 'MESSAGES_UPSERT'] }, { data: 'NOPE' }),
      'events[0] is not one of enum values: CALL,MESSAGES_UPSERT',
    ],
    [
      failure('enum', '/integration', { allowedValues: ['WHATSAPP-BAILEYS'] }, { data: 'WHATSAPP-BAILEY' }),
      'integration is not one of enum values: WHATSAPP-BAILEYS',
    ],
    [failure('pattern', '/groupJid', { pattern: '^\\d+$' }), 'groupJid does not match pattern "^\\\\d+$"'],
    [failure('minItems', '/mentioned', { limit: 1 }), 'mentioned does not meet minimum length of 1'],
    [failure('maxLength', '/name', { limit: 5 }), 'name does not meet maximum length of 5'],
    [failure('uniqueItems', '/numbers', {}), 'numbers contains duplicate item'],
    [failure('maximum', '/selectableCount', { limit: 10 }), 'selectableCount must be less than or equal to 10'],
    [failure('minLength', '/text', { limit: 1 }, { data: '' }), 'The "text" cannot be empty'],
    [failure('type', '', {}, { parentSchema: { type: 'object' } }), 'instance is not of a type(s) object'],
    [failure('pattern', '/options/mentions/mentioned/0', {}), '"mentioned" must be an array of numeric strings'],
    [failure('type', '/numbers/3', {}), '"numbers" must be an array of numeric strings'],
    [failure('unheardOf', '/field', {}, { message: 'is odd' }), 'field is odd'],
  ])('toProblems() describes validation error %# in one sentence: %o', (error, sentence) => {
    expect(toProblems([error], noNames).map(({ message }) => message)).toEqual([sentence]);
  });

  it('toProblems() names each missing property', () => {
    const parentSchema = { required: ['number', 'text'] };
    const errors = [failure('required', '', { missingProperty: 'number' }, { parentSchema, data: {} })];
    expect(toProblems(errors, noNames).map(({ message }) => message)).toEqual([
      'instance requires property "number"',
      'instance requires property "text"',
    ]);
  });

  it('toProblems() uses the names of the caller for moved fields', () => {
    const text = failure('required', '/textMessage', {}, { parentSchema: { required: ['text'] }, data: {} });
    const key = failure('required', '/options/quoted/key', {}, { parentSchema: { required: ['id'] }, data: {} });
    const delay = failure('minimum', '/options/delay', { limit: 0 });
    expect(toProblems([text, key, delay], callerNames).map(({ message }) => message)).toEqual([
      'instance requires property "text"',
      'quoted.key requires property "id"',
      'delay must be greater than or equal to 0',
    ]);
  });

  it('toMessage() returns a nested list of sentences, and objects with a property on group routes', () => {
    const problems = toProblems([failure('enum', '/action', { allowedValues: ['add'] })], noNames);
    expect(toMessage(problems, 'message')).toEqual([['action is not one of enum values: add']]);
    expect(toMessage(problems, 'group')).toEqual([
      { property: 'instance.action', message: 'action is not one of enum values: add' },
    ]);
  });
});
