// Checks of openapi.yaml: its form, the interface specification, statuses, limits, examples and webhooks.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SUBSCRIPTION_NAMES } from '../../src/events/event-names.ts';
import {
  jsonSchema,
  operations,
  type Parameter,
  resolve,
  type Schema,
  schemaViolations,
  spec,
  yamlText,
} from '../support/openapi-document.ts';
import { interfaceOperations } from './interface.ts';

const implementedIds =
  `forwardMessage sendAlbum pinMessage pinChat pinChatPost muteChat muteChatPost starMessage starMessagePost
  toggleChatEphemeral toggleChatEphemeralPost fetchHistory findLids
  answerPasskey confirmPasskey passkeyCode passkeyRequest
  createChannel updateChannel findChannelInfos fetchAllChannels followChannel unfollowChannel muteChannel fetchChannelMessages deleteChannel
  sendList sendButtons sendStatus sendMedia sendPtv sendContact sendReaction sendPoll
  createGroup findGroupInfos fetchAllGroups updateParticipant updateParticipantPost updateSetting
  updateSettingPost toggleEphemeral toggleEphemeralPost updateGroupDescription updateGroupDescriptionPost
  updateGroupPicture updateGroupPicturePost updateGroupSubject updateGroupSubjectPost inviteCode acceptInviteCode inviteInfo
  groupParticipants sendInvite revokeInviteCode revokeInviteCodePost leaveGroup
  joinRequests updateJoinRequests updateJoinRequestsPost updateMemberAddMode updateMemberAddModePost updateJoinApprovalMode
  updateJoinApprovalModePost
  findLabels handleLabel handleLabelPost setPresence setSettings findSettings setProxy findProxy verifyCreds
  setWebsocket findWebsocket setRabbitmq findRabbitmq setSqs findSqs setNats findNats setKafka findKafka setPusher findPusher
  getRoot livez readyz metrics findLogLevel setLogLevel findCluster openapiYaml openapiJson fetchInstances connectionState restartInstance
  restartInstancePost logoutInstance deleteInstance createInstance importInstance exportInstance connectInstance sendText findWebhook setWebhook
  sendPlatformAudio sendWhatsAppAudio sendLocation sendSticker sendPresence updateMessage updateMessagePost findStatusMessage findMessages fetchProfilePictureUrl updateProfileStatus
  updatePrivacySettings updatePrivacySettingsPost fetchPrivacySettings updateProfileName updateProfilePicture
  updateProfilePicturePost removeProfilePicture fetchProfile fetchBusinessProfile updateBlockStatus updateBlockStatusPost
  updateBlockStatusAsMessage updateBlockStatusAsMessagePost whatsappNumbers deleteMessageForEveryone getBase64FromMediaMessage
  markMessageAsRead markMessageAsReadPost markChatUnread markChatUnreadPost archiveChat archiveChatPost findContacts findChats findChatsPost
  findChatByRemoteJid checkIsWhatsappNumber getMedia messageStatus listWebhooks addWebhook changeWebhook changeWebhookPost
  removeWebhook rotateWebhookSecret testWebhook findGlobalWebhook testGlobalWebhook listDeliveries replayEvents readEvents
  listKeys createKey revokeKey rotateKey readAudit`
    .split(/\s+/)
    .sort();

/** The schema at a dotted path, where `[]` is an array element. Undefined when the schema does not have the path. */
function at(schema: Schema | undefined, path: string): { schema: Schema; required: boolean } | undefined {
  let current = schema && resolve(schema);
  let required = true;
  for (const step of path.replaceAll('[]', '.[]').split('.').filter(Boolean)) {
    const next = step === '[]' ? current?.items : current?.properties?.[step];
    if (!next) return undefined;
    required = step === '[]' || (current?.required?.includes(step) ?? false);
    current = resolve(next);
  }
  return current && { schema: current, required };
}

function expectFields(schema: Schema | undefined, fields: readonly string[]) {
  for (const field of fields) {
    const found = at(schema, field.replace('!', ''));
    expect(found, field).toBeDefined();
    if (field.endsWith('!')) expect(found?.required, `${field} is required`).toBe(true);
  }
}

describe('openapi.yaml', () => {
  it('openapi.yaml is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(parse(yamlText));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('openapi.yaml marks exactly the 30 operations of the interface specification as such', () => {
    const interfaceEntries = operations.filter(({ operation }) => operation['x-origin'] === 'interface');
    const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
    expect(interfaceOperations).toHaveLength(30);
    expect(interfaceEntries.map(name).sort()).toEqual(interfaceOperations.map(name).sort());
    const others = operations.filter((entry) => !interfaceEntries.includes(entry));
    expect(others.filter(({ operation }) => operation['x-origin'] !== 'extension')).toEqual([]);
  });

  it.each(interfaceOperations)('$method $path has the fields of the interface specification', ({
    method,
    path,
    ...expected
  }) => {
    const operation = spec.paths[path]?.[method];
    expect(jsonSchema(operation?.responses[expected.status]), `status ${expected.status}`).toBeDefined();
    expectFields(jsonSchema(operation?.responses[expected.status]), expected.reply);
    expectFields(jsonSchema(operation?.requestBody), expected.body ?? []);
    const query = (operation?.parameters ?? []).map((parameter) => resolve(parameter));
    for (const name of expected.query ?? []) {
      const found = query.find((parameter) => parameter.name === name.replace('!', '') && parameter.in === 'query');
      expect(found, name).toBeDefined();
      expect(found?.required ?? false, name).toBe(name.endsWith('!'));
    }
  });

  it('openapi.yaml has a POST for every path with a PUT', () => {
    const puts = operations.filter(({ method }) => method === 'put');
    expect(puts.filter(({ path }) => !spec.paths[path]?.post)).toEqual([]);
  });

  it('every operation has a summary, a description, a known tag and a unique operationId', () => {
    const tags = spec.tags.map(({ name }) => name);
    for (const { operation } of operations) {
      expect(operation.summary, operation.operationId).toBeTruthy();
      expect(operation.description, operation.operationId).toBeTruthy();
      expect(tags, operation.operationId).toContain(operation.tags?.[0]);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('every planned or refused operation documents 501, and every implemented operation does not', () => {
    const planned = operations.filter(({ operation }) => operation['x-status'] === 'planned');
    const with501 = operations.filter(({ operation }) => operation.responses['501']);
    const refused = operations.filter(({ operation }) => operation['x-status'] === 'refused');
    expect(new Set(with501)).toEqual(new Set([...planned, ...refused]));
    const others = operations.filter((entry) => !with501.includes(entry));
    expect(others.map(({ operation }) => operation.operationId).sort()).toEqual(implementedIds);
  });

  it('every operation needs a key and documents 401, except service information, probes and the contract', () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0).map(({ path }) => path);
    expect(open.sort()).toEqual(['/', '/livez', '/openapi.json', '/openapi.yaml', '/readyz']);
    const guarded = operations.filter(({ path }) => !open.includes(path));
    expect(guarded.filter(({ operation }) => !operation.responses['401'])).toEqual([]);
  });

  it('every error response has the schema ErrorBody, except the 503 of /readyz', () => {
    for (const { path, operation } of operations) {
      for (const [status, body] of Object.entries(operation.responses)) {
        const health = path === '/readyz' && status === '503';
        const expected = health ? 'Readiness' : 'ErrorBody';
        if (Number(status) >= 400) expect(jsonSchema(body)?.$ref).toBe(`#/components/schemas/${expected}`);
      }
    }
  });

  it('openapi.yaml limits the length of every string and list that a caller can send', () => {
    const unbounded: string[] = [];
    const visit = (schema: Schema & { maxLength?: number; maxItems?: number }, path: string) => {
      const { type, enum: values, maxLength, maxItems, properties, items, anyOf } = resolve(schema) as typeof schema;
      if (type === 'string' && !values && maxLength === undefined) unbounded.push(path);
      if (type === 'array' && maxItems === undefined) unbounded.push(path);
      for (const [name, inner] of Object.entries(properties ?? {})) visit(inner, `${path}.${name}`);
      for (const inner of [...(items ? [items] : []), ...(anyOf ?? [])]) visit(inner, `${path}[]`);
    };
    for (const { operation } of operations) {
      const body = operation.requestBody?.content?.['application/json']?.schema;
      if (body) visit(body, operation.operationId);
      const parameters: Parameter[] = (operation.parameters ?? []).map((parameter) => resolve(parameter));
      for (const { name, schema } of parameters) visit(schema, `${operation.operationId}?${name}`);
    }
    expect(unbounded).toEqual([]);
  });
});

describe('examples in openapi.yaml', () => {
  it.each(
    Object.entries(spec.components.schemas),
  )('the schema %s has a description and valid examples', (name, schema) => {
    expect(schema.description).toBeTruthy();
    expect(schema.examples?.length ?? 0).toBeGreaterThan(0);
    for (const example of schema.examples ?? [])
      expect(schemaViolations(name, example), JSON.stringify(example)).toBeUndefined();
  });
});

describe('webhooks in openapi.yaml', () => {
  const source = readFileSync(new URL('../../src/events/events.ts', import.meta.url), 'utf8');
  const types = [...source.matchAll(/type: '([a-z.|' -]+)'/g)].flatMap(([, names = '']) => names.split("' | '"));

  // Only a request sends webhook.test. Webhooks do not subscribe to it.
  const eventTypes = Object.keys(spec.webhooks).filter((event) => event !== 'webhook.test');

  it('openapi.yaml describes exactly the webhook events of src/events/events.ts', () => {
    expect(eventTypes.sort()).toEqual([...new Set(types)].sort());
  });

  it('EventName allows exactly the subscription names that the gateway knows', () => {
    expect([...(spec.components.schemas.EventName?.enum ?? [])].sort()).toEqual([...SUBSCRIPTION_NAMES].sort());
  });

  it('every webhook event has a subscription name and the four headers of a delivery', () => {
    for (const event of eventTypes) {
      const subscription = event.toUpperCase().replaceAll(/[.-]/g, '_');
      expect(spec.components.schemas.EventName?.enum).toContain(subscription);
      const headers = (spec.webhooks[event]?.post.parameters ?? []).map((parameter) => resolve(parameter).name);
      expect(headers).toEqual(['webhook-id', 'webhook-seq', 'webhook-timestamp', 'webhook-signature']);
    }
  });
});
