// Checks that openapi.yaml has the values and operations that docs/decisions specifies.
import { describe, expect, it } from 'vitest';
import { jsonSchema, resolve, type Schema, schemaViolations, spec } from '../support/openapi-document.ts';

const VISIBILITY_VALUES = ['all', 'contacts', 'contact_blacklist', 'none'];

/** By schema, or by schema and property: the allowed values. */
const VALUES: Record<string, string[]> = {
  PublicState: ['open', 'connecting', 'close'],
  MessageStatus: ['ERROR', 'PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED', 'DELETED'],
  Presence: ['unavailable', 'available', 'composing', 'recording', 'paused'],
  'PrivacySettings.readreceipts': ['all', 'none'],
  'PrivacySettings.online': ['all', 'match_last_seen'],
  'PrivacySettings.profile': VISIBILITY_VALUES,
  'PrivacySettings.status': VISIBILITY_VALUES,
  'PrivacySettings.last': VISIBILITY_VALUES,
  'PrivacySettings.groupadd': VISIBILITY_VALUES,
  'UpdateParticipantBody.action': ['add', 'remove', 'promote', 'demote'],
  'UpdateSettingBody.action': ['announcement', 'not_announcement', 'locked', 'unlocked'],
  'ConnectionUpdateData.state': ['open', 'connecting', 'close', 'refused'],
  'CreateInstanceBody.integration': ['WHATSAPP-BAILEYS'],
};

const successStatus = (path: string, method: string) => Object.keys(spec.paths[path]?.[method]?.responses ?? {})[0];
const parametersOf = (path: string, method: string) =>
  (spec.paths[path]?.[method]?.parameters ?? []).map((parameter) => resolve(parameter));

describe('decided values', () => {
  it.each(Object.entries(VALUES))('the schema %s has a closed list of values', (place, expected) => {
    const [name = '', property] = place.split('.');
    const schema: Schema | undefined = spec.components.schemas[name];
    expect((property ? schema?.properties?.[property] : schema)?.enum).toEqual(expected);
  });

  it('the schema Mentions accepts an empty list and numbers with a plus sign, and rejects words', () => {
    expect(schemaViolations('Mentions', { mentioned: [] })).toBeUndefined();
    expect(
      schemaViolations('Mentions', { mentioned: ['+5511987654321', '5511987654321@s.whatsapp.net'] }),
    ).toBeUndefined();
    expect(schemaViolations('Mentions', { mentioned: ['everyone'] })).toContain('pattern');
  });

  it('the schema QuotedMessage accepts a key with only an id, and rejects a key without an id', () => {
    expect(schemaViolations('QuotedMessage', { key: { id: '3EB0' } })).toBeUndefined();
    expect(schemaViolations('QuotedMessage', { key: {} })).toContain('id');
  });

  it('UpdateMessageBody accepts a number as text or integer, and group bodies accept their field as text or object', () => {
    const key = { id: '3EB0' };
    for (const number of [5511987654321, '5511987654321']) {
      expect(schemaViolations('UpdateMessageBody', { number, text: 'a', key })).toBeUndefined();
    }
    for (const subject of ['Neighbours', { subject: 'Neighbours' }]) {
      expect(schemaViolations('GroupSubjectBody', { subject })).toBeUndefined();
    }
    for (const description of ['Street', { description: 'Street' }]) {
      expect(schemaViolations('GroupDescriptionBody', { description })).toBeUndefined();
    }
    for (const image of ['https://example.com/a.jpg', { image: 'https://example.com/a.jpg' }]) {
      expect(schemaViolations('GroupPictureBody', { image })).toBeUndefined();
    }
  });

  it('updateParticipant, updateSetting and toggleEphemeral require groupJid as a string', () => {
    for (const name of ['updateParticipant', 'updateSetting', 'toggleEphemeral']) {
      const [, groupJid] = parametersOf(`/group/${name}/{instance}`, 'put');
      expect(groupJid).toMatchObject({ name: 'groupJid', required: true, schema: { type: 'string' } });
    }
  });

  it('UpdatePrivacySettingsBody accepts a part of the privacy settings', () => {
    expect(schemaViolations('UpdatePrivacySettingsBody', { privacySettings: { online: 'all' } })).toBeUndefined();
  });

  it('CreateInstanceBody requires only instanceName', () => {
    expect(schemaViolations('CreateInstanceBody', { instanceName: 'shop' })).toBeUndefined();
    expect(schemaViolations('CreateInstanceBody', {})).toContain('instanceName');
  });

  it('SendTextBody accepts unknown fields', () => {
    const body = { number: '5511987654321', textMessage: { text: 'a', colour: 'red' }, campaign: 7 };
    expect(schemaViolations('SendTextBody', body)).toBeUndefined();
  });
});

describe('decided operations', () => {
  it('GET / has no parameters', () => {
    expect(parametersOf('/', 'get')).toEqual([]);
  });

  it('the contract documents 200 for sendPlatformAudio and 201 for sendWhatsAppAudio', () => {
    expect(successStatus('/message/sendPlatformAudio/{instance}', 'post')).toBe('200');
    expect(successStatus('/message/sendWhatsAppAudio/{instance}', 'post')).toBe('201');
  });

  it('the contract makes inviteCode of inviteInfo optional and documents a 400', () => {
    const path = '/group/inviteInfo/{instance}';
    expect(parametersOf(path, 'get').find(({ name }) => name === 'inviteCode')?.required).toBeUndefined();
    expect(spec.paths[path]?.get?.responses['400']).toBeDefined();
  });

  it('the contract documents the same body and the same responses for POST as for each PUT', () => {
    for (const item of Object.values(spec.paths)) {
      if (!item.put) continue;
      expect(jsonSchema(item.post?.requestBody)).toEqual(jsonSchema(item.put.requestBody));
      expect(item.post?.responses).toEqual(item.put.responses);
    }
  });
});
