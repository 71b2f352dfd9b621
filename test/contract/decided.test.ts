import { describe, expect, it } from 'vitest';
import { jsonSchema, resolve, type Schema, spec, violations } from './document.ts';

const lists = ['all', 'contacts', 'contact_blacklist', 'none'];

/** `Component.property` → its allowed values. */
const values: Record<string, string[]> = {
  PublicState: ['open', 'connecting', 'close'],
  MessageStatus: ['ERROR', 'PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED', 'DELETED'],
  Presence: ['unavailable', 'available', 'composing', 'recording', 'paused'],
  'PrivacySettings.readreceipts': ['all', 'none'],
  'PrivacySettings.online': ['all', 'match_last_seen'],
  'PrivacySettings.profile': lists,
  'PrivacySettings.status': lists,
  'PrivacySettings.last': lists,
  'PrivacySettings.groupadd': lists,
  'UpdateParticipantBody.action': ['add', 'remove', 'promote', 'demote'],
  'UpdateSettingBody.action': ['announcement', 'not_announcement', 'locked', 'unlocked'],
  'ConnectionUpdateData.state': ['open', 'connecting', 'close', 'refused'],
  'CreateInstanceBody.integration': ['WHATSAPP-BAILEYS'],
};

const success = (path: string, method: string) => Object.keys(spec.paths[path]?.[method]?.responses ?? {})[0];
const query = (path: string, method: string) =>
  (spec.paths[path]?.[method]?.parameters ?? []).map((parameter) => resolve(parameter));

describe('what was decided about values', () => {
  it.each(Object.entries(values))('%s is one of a closed list', (place, expected) => {
    const [name = '', property] = place.split('.');
    const schema: Schema | undefined = spec.components.schemas[name];
    expect((property ? schema?.properties?.[property] : schema)?.enum).toEqual(expected);
  });

  it('takes an empty list of mentions and numbers with a plus, but no words', () => {
    expect(violations('Mentions', { mentioned: [] })).toBeUndefined();
    expect(violations('Mentions', { mentioned: ['+5511987654321', '5511987654321@s.whatsapp.net'] })).toBeUndefined();
    expect(violations('Mentions', { mentioned: ['everyone'] })).toContain('pattern');
  });

  it('quotes by the id alone', () => {
    expect(violations('QuotedMessage', { key: { id: '3EB0' } })).toBeUndefined();
    expect(violations('QuotedMessage', { key: {} })).toContain('id');
  });

  it('takes texts and numbers where the interface types an object or an integer', () => {
    const key = { id: '3EB0' };
    for (const number of [5511987654321, '5511987654321']) {
      expect(violations('UpdateMessageBody', { number, text: 'a', key })).toBeUndefined();
    }
    for (const subject of ['Neighbours', { subject: 'Neighbours' }]) {
      expect(violations('GroupSubjectBody', { subject })).toBeUndefined();
    }
    for (const description of ['Street', { description: 'Street' }]) {
      expect(violations('GroupDescriptionBody', { description })).toBeUndefined();
    }
    for (const image of ['https://example.com/a.jpg', { image: 'https://example.com/a.jpg' }]) {
      expect(violations('GroupPictureBody', { image })).toBeUndefined();
    }
  });

  it('names groups by a string, also where the interface says boolean', () => {
    for (const name of ['updateParticipant', 'updateSetting', 'toggleEphemeral']) {
      const [, groupJid] = query(`/group/${name}/{instance}`, 'put');
      expect(groupJid).toMatchObject({ name: 'groupJid', required: true, schema: { type: 'string' } });
    }
  });

  it('takes part of the privacy settings', () => {
    expect(violations('UpdatePrivacySettingsBody', { privacySettings: { online: 'all' } })).toBeUndefined();
  });

  it('needs a name to create an instance, and nothing else', () => {
    expect(violations('CreateInstanceBody', { instanceName: 'shop' })).toBeUndefined();
    expect(violations('CreateInstanceBody', {})).toContain('instanceName');
  });

  it('ignores fields it does not know', () => {
    const body = { number: '5511987654321', textMessage: { text: 'a', colour: 'red' }, campaign: 7 };
    expect(violations('SendTextBody', body)).toBeUndefined();
  });
});

describe('what was decided about operations', () => {
  it('has no instance in the path of service information', () => {
    expect(query('/', 'get')).toEqual([]);
  });

  it('answers 200 on the audio path of the interface and 201 on the usual one', () => {
    expect(success('/message/sendPlatformAudio/{instance}', 'post')).toBe('200');
    expect(success('/message/sendWhatsAppAudio/{instance}', 'post')).toBe('201');
  });

  it('may be asked about an invitation without a code, and then answers 400', () => {
    const path = '/group/inviteInfo/{instance}';
    expect(query(path, 'get').find(({ name }) => name === 'inviteCode')?.required).toBeUndefined();
    expect(spec.paths[path]?.get?.responses['400']).toBeDefined();
  });

  it('answers POST exactly as PUT', () => {
    for (const item of Object.values(spec.paths)) {
      if (!item.put) continue;
      expect(jsonSchema(item.post?.requestBody)).toEqual(jsonSchema(item.put.requestBody));
      expect(item.post?.responses).toEqual(item.put.responses);
    }
  });
});
