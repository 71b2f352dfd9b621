// Routes of the control API for one account: app state (chats, stars and labels, which all devices of the account
// share), profile, played voice messages, blocklist, restrictions of new chats. calls.ts has the routes of calls.
import type { FastifyInstance } from 'fastify';
import { createStarPatch } from '../phone/app-state.ts';
import type { Phone } from '../phone/phone.ts';
import type { Sandbox } from '../sandbox.ts';
import { setBlocked } from '../stanzas/privacy.ts';
import { announcePicture, announceStatus, createPicture, setStatus } from '../stanzas/profile.ts';
import { shownJidOf } from '../world/delivery.ts';
import type { Business } from '../world/model.ts';
import {
  ControlError,
  readBoolean,
  readBytes,
  readNumber,
  readString,
  readStrings,
  requireNumber,
  requireString,
  toObject,
  toPhoneNumber,
} from './body.ts';

export interface PhoneRoute {
  Params: { number: string };
}

/** Returns the phone whose number is in the path. */
export type FindPhone = (params: PhoneRoute['Params']) => Phone;

/**
 * Adds the routes of the app state (chats, stars and labels), of the profile, of the blocklist, and the route that
 * reports voice messages as played.
 */
export function addProfileAndChats(
  app: FastifyInstance,
  { phones, world }: Pick<Sandbox, 'phones' | 'world'>,
  phoneOf: FindPhone,
): void {
  const { phoneAppState } = phones;

  app.get<PhoneRoute>('/phones/:number/state', async ({ params }) => phoneAppState.read(phoneOf(params).account));

  // Stores collections (parts of the app state) as files. Clients then download a file instead of single changes.
  app.post<PhoneRoute>('/phones/:number/state/snapshots', async ({ params }) => ({
    collections: phones.createSnapshots(phoneOf(params).account.number),
  }));

  app.post<PhoneRoute & { Params: { chat: string } }>('/phones/:number/chats/:chat', async ({ params, body: json }) => {
    const body = toObject(json);
    const { account, mailbox } = phoneOf(params);
    const chat = toPhoneNumber(params.chat, 'chat');
    // The phone-number JID (`pn`), or the LID (the address without the number) when the account hides its number.
    const jid = shownJidOf('pn', world.account(chat));
    // A change that archives a chat or marks it as read contains the newest message of the chat.
    const newest = mailbox.all().findLast((message) => message.chat === chat);
    const key = newest && { remoteJid: jid, fromMe: newest.fromMe, id: newest.id };
    const lastMessages = key ? [{ key, messageTimestamp: newest.timestamp }] : [];
    const archive = readBoolean(body, 'archive');
    const pin = readBoolean(body, 'pin');
    const read = readBoolean(body, 'read');
    if (archive !== undefined) await phoneAppState.change(account, { archive, lastMessages }, jid);
    if (pin !== undefined) await phoneAppState.change(account, { pin }, jid);
    if (read !== undefined) await phoneAppState.change(account, { markRead: read, lastMessages }, jid);
    // `mute: null` unmutes the chat; `name: null` removes the contact's name.
    const mute = body.mute === null ? null : readNumber(body, 'mute');
    if (mute !== undefined) await phoneAppState.change(account, { mute }, jid);
    const name = body.name === null ? null : readString(body, 'name');
    if (name !== undefined)
      await phoneAppState.change(account, { contact: name === null ? null : { fullName: name } }, jid);
    const label = readString(body, 'label');
    if (label) await phoneAppState.change(account, { addChatLabel: { labelId: label } }, jid);
    const unlabel = readString(body, 'unlabel');
    if (unlabel) await phoneAppState.change(account, { removeChatLabel: { labelId: unlabel } }, jid);
    return phoneAppState.read(account);
  });

  app.post<PhoneRoute & { Params: { id: string } }>('/phones/:number/messages/:id/star', async ({ params, body }) => {
    const { account, mailbox } = phoneOf(params);
    const message = mailbox.byId(params.id);
    if (!message) throw new ControlError(404, `${account.number} has no message ${params.id}`);
    const { id, chat, fromMe, from } = message;
    // In a stored message, `chat` is a phone number, or the JID of a group.
    const isGroup = chat.endsWith('@g.us');
    const remoteJid = isGroup ? chat : shownJidOf('pn', world.account(chat));
    const participant = isGroup ? shownJidOf(message.addressing, world.account(from)) : undefined;
    const starred = readBoolean(toObject(body), 'starred') ?? true;
    await phoneAppState.change(account, createStarPatch({ remoteJid, id, fromMe, participant }, starred));
    return { starred };
  });

  app.post<PhoneRoute>('/phones/:number/labels', async ({ params, body: json }, reply) => {
    const body = toObject(json);
    const id = requireString(body, 'id');
    const name = requireString(body, 'name');
    const label = {
      id,
      name,
      color: readNumber(body, 'color') ?? 0,
      deleted: readBoolean(body, 'deleted') ?? false,
    };
    await phoneAppState.change(phoneOf(params).account, { addLabel: label });
    return reply.code(201).send(label);
  });

  app.post<PhoneRoute>('/phones/:number/profile', async ({ params, body: json }) => {
    const body = toObject(json);
    const { account } = phoneOf(params);
    const name = readString(body, 'name');
    const status = readString(body, 'status');
    // `null` removes the picture or the business profile.
    const picture = body.picture === null ? null : readBytes(body, 'picture');
    const business = body.business === undefined || body.business === null ? body.business : toBusiness(body.business);
    if (name) await phoneAppState.change(account, { pushNameSetting: name });
    account.name = name || account.name;
    if (status !== undefined) {
      setStatus(world, account, status);
      announceStatus(world, account);
    }
    if (picture !== undefined) {
      account.picture = picture === null ? undefined : createPicture(picture);
      announcePicture(world, account);
    }
    if (business !== undefined) account.business = business ?? undefined;
    const profile = { name: account.name, status: account.statusText, picture: account.picture?.id ?? null };
    return { ...profile, business: account.business ?? null };
  });

  app.post<PhoneRoute>('/phones/:number/played', async ({ params, body: json }) => {
    const body = toObject(json);
    const ids = readStrings(body, 'ids') ?? [];
    return { played: phones.markPlayed(phoneOf(params).account.number, toPhoneNumber(body.chat, 'chat'), ids) };
  });

  app.get<PhoneRoute>('/phones/:number/picture', async ({ params }, reply) => {
    const { picture, number } = phoneOf(params).account;
    if (!picture) throw new ControlError(404, `${number} has no picture`);
    return reply.type('image/jpeg').send(picture.bytes);
  });

  app.post<PhoneRoute>('/phones/:number/blocked', async ({ params, body: json }) => {
    const body = toObject(json);
    const { account } = phoneOf(params);
    // All accounts are looked up before the first change, so that an error changes nothing: world.account() throws
    // RangeError (status 400) for a number that is not on the platform.
    const accountsIn = (field: string) =>
      (readStrings(body, field) ?? []).map((number) => world.account(toPhoneNumber(number, field)));
    const [added, removed] = [accountsIn('add'), accountsIn('remove')];
    for (const other of added) setBlocked(world, account, other, 'block');
    for (const other of removed) setBlocked(world, account, other, 'unblock');
    return { blocked: [...account.blocked] };
  });
}

function toBusiness(json: unknown): Business {
  const body = toObject(json, 'business');
  /** An object with this field; an empty object when the body does not have the field. */
  const textField = (field: string) => {
    const value = readString(body, field, 'business.');
    return value === undefined ? {} : { [field]: value };
  };
  const website = readStrings(body, 'website') ?? [];
  return {
    description: '',
    website,
    ...textField('description'),
    ...textField('address'),
    ...textField('email'),
    ...textField('category'),
  };
}

/**
 * Adds the route that restricts how an account starts new chats: a `lock` forbids new chats, a `quota` limits their
 * number, and `null` removes the restriction. Times in a body are minutes from now.
 */
export function addRestrictions(
  app: FastifyInstance,
  { restrictions, world }: Pick<Sandbox, 'restrictions' | 'world'>,
  phoneOf: FindPhone,
): void {
  /** Returns the time in epoch seconds. */
  const timeInMinutes = (minutes: number) => world.now() + Math.round(minutes * 60);

  app.post<PhoneRoute>('/phones/:number/restrictions', async ({ params, body: json }) => {
    const body = toObject(json);
    const { number } = phoneOf(params).account;
    if (body.lock === null) restrictions.setLock(number, undefined);
    else if (body.lock !== undefined) {
      const lock = toObject(body.lock, 'lock');
      const reason = readString(lock, 'reason', 'lock.') ?? 'BIZ_QUALITY';
      restrictions.setLock(number, { reason, until: timeInMinutes(requireNumber(lock, 'minutes', 'lock.')) });
    }
    if (body.quota === null) restrictions.setQuota(number, undefined);
    else if (body.quota !== undefined) {
      const quota = toObject(body.quota, 'quota');
      const total = requireNumber(quota, 'total', 'quota.');
      const used = requireNumber(quota, 'used', 'quota.');
      restrictions.setQuota(number, { total, used, end: timeInMinutes(requireNumber(quota, 'minutes', 'quota.')) });
    }
    return restrictions.get(number);
  });
}
