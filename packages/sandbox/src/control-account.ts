// Control API of one account: calls, app state, profile, blocklist, restrictions.
import type { FastifyInstance } from 'fastify';
import { starPatch } from './app-state.ts';
import {
  ControlError,
  optionalBoolean,
  optionalNumber,
  optionalString,
  optionalStrings,
  requiredNumber,
  requiredString,
  toNumber,
  toObject,
} from './control-body.ts';
import { jidOf } from './delivery.ts';
import type { Business } from './model.ts';
import type { Phone } from './phone.ts';
import type { Sandbox } from './sandbox.ts';
import { announcePicture, announceStatus, pictureOf } from './stanzas/profile.ts';
import { pnJid } from './world.ts';

export interface Named {
  Params: { number: string };
}

/** Adds the routes; `phoneOf` finds the phone in a path. */
export function addAccount(app: FastifyInstance, { handsets }: Pick<Sandbox, 'handsets'>, phoneOf: FindPhone): void {
  const { calls } = handsets;

  app.get<Named>('/phones/:number/calls', async ({ params }) => {
    const { number } = phoneOf(params).account;
    return calls.all.filter(({ from, to }) => from === number || to === number);
  });

  app.post<Named>('/phones/:number/calls', async ({ params, body: json }, reply) => {
    const body = toObject(json);
    const { number } = phoneOf(params).account;
    const call = calls.ring(number, toNumber(body.to, 'to'), { video: optionalBoolean(body, 'video') });
    return reply.code(201).send(call);
  });

  app.delete<Named & { Params: { id: string } }>('/phones/:number/calls/:id', async ({ params }) => {
    const { number } = phoneOf(params).account;
    const call = calls.all.find(({ id, from }) => id === params.id && from === number);
    if (!call) throw new ControlError(404, `${number} makes no call ${params.id}`);
    return calls.end(call.id);
  });

  app.post<Named>('/phones/:number/played', async ({ params, body: json }) => {
    const body = toObject(json);
    const ids = optionalStrings(body, 'ids') ?? [];
    return { played: handsets.played(phoneOf(params).account.number, toNumber(body.chat, 'chat'), ids) };
  });
}

/** Adds what the owner arranges: profile, blocked numbers, and what the linked devices share. */
export function addArrangements(
  app: FastifyInstance,
  { handsets, world }: Pick<Sandbox, 'handsets' | 'world'>,
  phoneOf: FindPhone,
): void {
  const { synced } = handsets;

  app.get<Named>('/phones/:number/state', async ({ params }) => synced.read(phoneOf(params).account));

  app.post<Named & { Params: { chat: string } }>('/phones/:number/chats/:chat', async ({ params, body: json }) => {
    const body = toObject(json);
    const { account, mailbox } = phoneOf(params);
    const chat = toNumber(params.chat, 'chat');
    const jid = pnJid(world.account(chat));
    const newest = mailbox.all().findLast((letter) => letter.chat === chat);
    const key = newest && { remoteJid: jid, fromMe: newest.fromMe, id: newest.id };
    const lastMessages = key ? [{ key, messageTimestamp: newest.timestamp }] : [];
    const [archive, pin, read] = ['archive', 'pin', 'read'].map((field) => optionalBoolean(body, field));
    if (archive !== undefined) await synced.change(account, { archive, lastMessages }, jid);
    if (pin !== undefined) await synced.change(account, { pin }, jid);
    if (read !== undefined) await synced.change(account, { markRead: read, lastMessages }, jid);
    const mute = body.mute === null ? null : optionalNumber(body, 'mute');
    if (mute !== undefined) await synced.change(account, { mute }, jid);
    const name = body.name === null ? null : optionalString(body, 'name');
    if (name !== undefined) await synced.change(account, { contact: name === null ? null : { fullName: name } }, jid);
    const label = optionalString(body, 'label');
    if (label) await synced.change(account, { addChatLabel: { labelId: label } }, jid);
    const unlabel = optionalString(body, 'unlabel');
    if (unlabel) await synced.change(account, { removeChatLabel: { labelId: unlabel } }, jid);
    return synced.read(account);
  });

  app.post<Named & { Params: { id: string } }>('/phones/:number/messages/:id/star', async ({ params, body }) => {
    const { account, mailbox } = phoneOf(params);
    const letter = mailbox.byId(params.id);
    if (!letter) throw new ControlError(404, `${account.number} has no message ${params.id}`);
    const { id, chat, fromMe, from } = letter;
    const isGroup = chat.endsWith('@g.us');
    const remoteJid = isGroup ? chat : pnJid(world.account(chat));
    const participant = isGroup ? jidOf(letter.form, world.account(from)) : undefined;
    const starred = optionalBoolean(toObject(body), 'starred') ?? true;
    await synced.change(account, starPatch({ remoteJid, id, fromMe, participant }, starred));
    return { starred };
  });

  app.post<Named>('/phones/:number/labels', async ({ params, body: json }, reply) => {
    const body = toObject(json);
    const id = requiredString(body, 'id');
    const name = requiredString(body, 'name');
    const label = {
      id,
      name,
      color: optionalNumber(body, 'color') ?? 0,
      deleted: optionalBoolean(body, 'deleted') ?? false,
    };
    await synced.change(phoneOf(params).account, { addLabel: label });
    return reply.code(201).send(label);
  });

  app.post<Named>('/phones/:number/profile', async ({ params, body: json }) => {
    const body = toObject(json);
    const { account } = phoneOf(params);
    const name = optionalString(body, 'name');
    if (name) await synced.change(account, { pushNameSetting: name });
    account.name = name || account.name;
    const status = optionalString(body, 'status');
    if (status !== undefined) {
      Object.assign(account, { statusText: status, statusAt: world.now() });
      announceStatus(world, account);
    }
    const picture = body.picture === null ? null : optionalString(body, 'picture');
    if (picture !== undefined) {
      account.picture = picture === null ? undefined : pictureOf(Buffer.from(picture, 'base64'));
      announcePicture(world, account);
    }
    if (body.business !== undefined) account.business = body.business === null ? undefined : toBusiness(body.business);
    const shown = { name: account.name, status: account.statusText, picture: account.picture?.id ?? null };
    return { ...shown, business: account.business ?? null };
  });

  app.get<Named>('/phones/:number/picture', async ({ params }, reply) => {
    const { picture, number } = phoneOf(params).account;
    if (!picture) throw new ControlError(404, `${number} has no picture`);
    return reply.type('image/jpeg').send(picture.bytes);
  });

  app.post<Named>('/phones/:number/blocked', async ({ params, body: json }) => {
    const body = toObject(json);
    const { blocked } = phoneOf(params).account;
    for (const number of optionalStrings(body, 'add') ?? []) blocked.add(toNumber(number, 'add'));
    for (const number of optionalStrings(body, 'remove') ?? []) blocked.delete(toNumber(number, 'remove'));
    return { blocked: [...blocked] };
  });
}

function toBusiness(json: unknown): Business {
  const body = toObject(json, 'business');
  const text = (field: string) => {
    const value = optionalString(body, field, 'business.');
    return value === undefined ? {} : { [field]: value };
  };
  const website = optionalStrings(body, 'website') ?? [];
  return {
    description: '',
    website,
    ...text('description'),
    ...text('address'),
    ...text('email'),
    ...text('category'),
  };
}

/** Adds what the platform holds against an account. Times are minutes from now. */
export function addRestrictions(
  app: FastifyInstance,
  { restrictions, world }: Pick<Sandbox, 'restrictions' | 'world'>,
  phoneOf: FindPhone,
): void {
  const after = (minutes: number) => world.now() + Math.round(minutes * 60);

  app.post<Named>('/phones/:number/restrictions', async ({ params, body: json }) => {
    const body = toObject(json);
    const { number } = phoneOf(params).account;
    if (body.lock === null) restrictions.lock(number, undefined);
    else if (body.lock !== undefined) {
      const lock = toObject(body.lock, 'lock');
      const reason = optionalString(lock, 'reason', 'lock.') ?? 'BIZ_QUALITY';
      restrictions.lock(number, { reason, until: after(requiredNumber(lock, 'minutes', 'lock.')) });
    }
    if (body.quota === null) restrictions.limit(number, undefined);
    else if (body.quota !== undefined) {
      const quota = toObject(body.quota, 'quota');
      const [total, used] = [requiredNumber(quota, 'total', 'quota.'), requiredNumber(quota, 'used', 'quota.')];
      restrictions.limit(number, { total, used, end: after(requiredNumber(quota, 'minutes', 'quota.')) });
    }
    return restrictions.of(number);
  });
}

export type FindPhone = (params: Named['Params']) => Phone;
