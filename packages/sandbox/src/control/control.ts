// The HTTP control API of the sandbox, with which tests and people operate the simulated phones. This file has the
// routes of phones and messages; the other files of this folder have the other routes. The API uses JSON and no
// authentication.
import { isIPv6 } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { PairingError } from '../pairing/registration.ts';
import type { Phone } from '../phone/phone.ts';
import type { Sandbox } from '../sandbox.ts';
import { LOOPBACK, listenAddressOf, toAuthority } from '../wire/address.ts';
import { ChannelError } from '../world/channel.ts';
import { GroupError } from '../world/group.ts';
import type { Account, Companion } from '../world/model.ts';
import { lidJid, pnJid } from '../world/world.ts';
import { addProfileAndChats, addRestrictions, type FindPhone, type PhoneRoute } from './account.ts';
import {
  type Body,
  ControlError,
  oneOf,
  readBoolean,
  readNumber,
  readString,
  readStrings,
  requireString,
  toChat,
  toDraft,
  toObject,
  toPhoneNumber,
  toUsername,
} from './body.ts';
import { addCalls } from './calls.ts';
import { addChannels } from './channels.ts';
import { addFaultsAndRecords } from './faults.ts';
import { addGroups, groupSummary } from './groups.ts';
import { addInbox } from './inbox.ts';
import { addPasskeys, replyWithLink } from './passkeys.ts';

export interface ControlOptions {
  /** Base URL and global API key of the gateway that runs with this sandbox. Scans that name an instance need them. */
  gateway?: { url: string; apikey: string };
  /**
   * IP address or host name under which clients reach the API, default 127.0.0.1. A loopback address opens the port on
   * loopback only; any other value opens it on every interface.
   */
  host?: string;
}

export interface Control {
  /** Opens the port (0: any free port) and resolves with the base URL. */
  listen(port: number): Promise<string>;
  close(): Promise<void>;
}

const TYPING_STATES = ['composing', 'recording', 'paused'] as const;
/** Maximum size of a body in bytes. It is large, because the inbox receives webhook posts with media. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export function createControl(sandbox: Sandbox, options: ControlOptions = {}): Control {
  const { host = LOOPBACK } = options;
  const app = Fastify({ bodyLimit: MAX_BODY_BYTES });
  guardHost(app, host);
  parseBodies(app);
  app.setErrorHandler((error, _request, reply) => {
    const { status, message } = toErrorResponse(error);
    return reply.code(status).send({ error: message });
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `there is no ${request.method} ${request.url} here` }),
  );
  const phoneOf = createPhoneFinder(sandbox.phones, sandbox.world);
  addInbox(app);
  addPhones(app, sandbox, phoneOf, options);
  addMessages(app, phoneOf);
  addGroups(app, sandbox.groups, phoneOf);
  addChannels(app, sandbox, phoneOf);
  addCalls(app, sandbox, phoneOf);
  addProfileAndChats(app, sandbox, phoneOf);
  addRestrictions(app, sandbox, phoneOf);
  addPasskeys(app, sandbox, phoneOf);
  addFaultsAndRecords(app, sandbox);
  return {
    async listen(port) {
      const url = await app.listen({ port, host: listenAddressOf(host) });
      return `http://${toAuthority(host, Number(new URL(url).port))}`;
    },
    close: () => app.close(),
  };
}

/** Adds the routes that list, create and change phones, and those that link and unlink clients. */
function addPhones(
  app: FastifyInstance,
  { world, pairing, groups }: Sandbox,
  phoneOf: FindPhone,
  { gateway }: ControlOptions,
): void {
  app.get('/', async () => ({
    gateway: gateway?.url ?? null,
    apikey: gateway?.apikey ?? null,
    phones: Array.from(world.accounts(), identityOf),
  }));

  app.post('/phones', async (request, reply) => {
    const body = toObject(request.body);
    // world.account() creates the account if the number has none.
    const account = world.account(
      body.number === undefined ? findUnusedNumber(world) : toPhoneNumber(body.number, 'number'),
    );
    account.name = readString(body, 'name') ?? account.name;
    return reply.code(201).send(identityOf(account));
  });

  app.get<PhoneRoute>('/phones/:number', async ({ params }) => phoneView(phoneOf(params), groups));

  app.put<PhoneRoute>('/phones/:number', async ({ params, body }) => {
    const phone = phoneOf(params);
    setIdentity(world, phone.account, toObject(body));
    return phoneView(phone, groups);
  });

  app.post<PhoneRoute>('/phones/:number/scan', async ({ params, body }, reply) => {
    const { number } = phoneOf(params).account;
    const { code, instance } = toObject(body);
    const hasBothOrNeither = (code === undefined) === (instance === undefined);
    if (hasBothOrNeither) throw new ControlError(400, 'send either code or instance');
    const text = instance === undefined ? requireString({ code }, 'code') : await fetchQrText(gateway, { instance });
    return replyWithLink(reply, (options) => pairing.scanQr(number, text, options), linkView);
  });

  app.post<PhoneRoute>('/phones/:number/link', async ({ params, body }, reply) => {
    const code = requireString(toObject(body), 'pairingCode');
    const { number } = phoneOf(params).account;
    return replyWithLink(reply, (options) => pairing.linkWithCode(number, code, options), linkView);
  });

  // The route that Baileys' end-to-end tests use: the body is the QR text. The phone with the number in the query scans
  // it. Without a number, a new phone scans it.
  app.post<{ Querystring: { number?: string } }>('/admin/mock-phone/scan-qr', async ({ body, query }, reply) => {
    const text = typeof body === 'string' ? body : requireString(toObject(body), 'qr');
    const number = query.number === undefined ? findUnusedNumber(world) : toPhoneNumber(query.number, 'number');
    return replyWithLink(reply, (options) => pairing.scanQr(number, text.trim(), options), linkView);
  });

  app.post<PhoneRoute>('/phones/:number/unlink', async ({ params, body }) => {
    const { account } = phoneOf(params);
    const device = readNumber(toObject(body), 'device');
    const companions = [...account.companions.values()].filter(
      (each) => device === undefined || each.device === device,
    );
    if (companions.length === 0) throw new ControlError(404, 'this phone has no such linked device');
    for (const companion of companions) pairing.unlink(companion);
    return { unlinked: companions.map((each) => each.device) };
  });
}

/**
 * Sets how others address the account and find it. `migrated`: its direct chats use LIDs, which are addresses without
 * the phone number. `hidesNumber`: others see only its LID. `usernameKey`: digits that others need, in addition to the
 * username, to find the account. Changes nothing when a field is invalid or another account has the username.
 */
function setIdentity(world: Sandbox['world'], account: Account, body: Body): void {
  const migrated = readBoolean(body, 'migrated') ?? account.migrated;
  const hidesNumber = readBoolean(body, 'hidesNumber') ?? account.hidesNumber;
  let { username, usernameKey } = account;
  if (body.username !== undefined)
    username = body.username === null ? undefined : toUsername(body.username, 'username');
  if (body.usernameKey !== undefined)
    usernameKey = body.usernameKey === null ? undefined : requireString(body, 'usernameKey');
  const isTaken =
    username && Array.from(world.accounts()).some((each) => each !== account && each.username === username);
  if (isTaken) throw new ControlError(409, `username ${username} belongs to another phone`);
  Object.assign(account, { migrated, hidesNumber, username, usernameKey });
}

/** Adds the routes of messages, receipts, typing and presence. */
function addMessages(app: FastifyInstance, phoneOf: FindPhone): void {
  app.get<PhoneRoute>('/phones/:number/messages', async ({ params }) => phoneOf(params).messages());

  app.post<PhoneRoute>('/phones/:number/messages', async ({ params, body: json }, reply) => {
    const phone = phoneOf(params);
    const body = toObject(json);
    const id = readString(body, 'id');
    // `addressing`: whether the recipient sees the author's phone number (`pn`) or LID. `form` is the former name.
    const chosen = body.addressing ?? body.form;
    const addressing = chosen === undefined ? undefined : oneOf(chosen, 'addressing', ['pn', 'lid'] as const);
    const sent = await phone.send(toChat(body.to, 'to'), toDraft(body), { id, addressing });
    return reply.code(201).send({ id: sent });
  });

  app.get<PhoneRoute & { Params: { id: string } }>('/phones/:number/messages/:id/media', async ({ params }, reply) => {
    const { bytes, mimetype } = phoneOf(params).downloadMedia(params.id);
    return reply.type(mimetype).send(bytes);
  });

  app.post<PhoneRoute>('/phones/:number/read', async ({ params, body: json }) => {
    const body = toObject(json);
    return { read: phoneOf(params).read(toChat(body.chat, 'chat'), readStrings(body, 'ids')) };
  });

  app.post<PhoneRoute>('/phones/:number/typing', async ({ params, body: json }) => {
    const body = toObject(json);
    const state = oneOf(body.state ?? 'composing', 'state', TYPING_STATES);
    phoneOf(params).setTyping(toChat(body.to, 'to'), state);
    return { state };
  });

  app.post<PhoneRoute>('/phones/:number/presence', async ({ params, body }) => {
    const state = oneOf(toObject(body).presence, 'presence', ['available', 'unavailable'] as const);
    phoneOf(params).setPresence(state);
    return { presence: state };
  });
}

/**
 * Returns a function that finds the phone in a path. That function throws ControlError 404 when the number is not on
 * WhatsApp.
 */
function createPhoneFinder(phones: Sandbox['phones'], world: Sandbox['world']): FindPhone {
  return ({ number: text }) => {
    const number = toPhoneNumber(text, 'number');
    if (!world.isOnWhatsApp(number)) throw new ControlError(404, `${number} is not on the platform`);
    return phones.phone(number);
  };
}

const identityOf = (account: Account) => ({
  number: account.number,
  jid: pnJid(account),
  lid: lidJid(account),
  name: account.name,
});

const phoneView = ({ account, typingAccounts }: Phone, groups: Sandbox['groups']) => ({
  ...identityOf(account),
  migrated: account.migrated,
  hidesNumber: account.hidesNumber,
  username: account.username ?? null,
  status: account.statusText,
  /** Id of the picture; `/phones/:number/picture` has its bytes. */
  picture: account.picture?.id ?? null,
  blocked: [...account.blocked],
  privacy: Object.fromEntries(account.privacy),
  devices: Array.from(account.companions.values(), ({ device, connection, queue }) => ({
    device,
    jid: pnJid(account, device),
    online: connection !== undefined,
    queued: queue.length,
  })),
  groups: groups.listFor(account).map((group) => groupSummary(group, account)),
  presence: account.presence,
  /** Typing indicators by the number of the account that types. */
  typing: Object.fromEntries(typingAccounts),
});

const linkView = ({ account, device }: Companion) => ({
  ...identityOf(account),
  device,
  deviceJid: pnJid(account, device),
});

/** The first unused number of a fictional range. isOnWhatsApp() excludes numbers that never have an account. */
function findUnusedNumber(world: Sandbox['world']): string {
  const usedNumbers = new Set(Array.from(world.accounts(), ({ number }) => number));
  let candidate = 15_550_100_001;
  while (usedNumbers.has(String(candidate)) || !world.isOnWhatsApp(String(candidate))) candidate++;
  return String(candidate);
}

/** Asks the gateway for the QR text that the instance in `body` shows now. */
async function fetchQrText(gateway: ControlOptions['gateway'], body: Body): Promise<string> {
  const instance = requireString(body, 'instance');
  if (!gateway)
    throw new ControlError(
      400,
      '"instance" needs a gateway that runs with this sandbox. Send the QR code as "code" instead.',
    );
  const response = await fetch(`${gateway.url}/instance/connect/${encodeURIComponent(instance)}`, {
    headers: { apikey: gateway.apikey },
  });
  const answer = toObject(await response.json().catch(() => ({})));
  if (response.status === 404) throw new ControlError(404, `the gateway has no instance ${instance}`);
  if (!response.ok) throw new ControlError(502, `the gateway answered ${response.status} when asked for the QR code`);
  const code = readString(answer, 'code');
  if (!code) throw new ControlError(409, `instance ${instance} shows no QR code; it may be linked already`);
  return code;
}

/**
 * Parses bodies as JSON with any content type, so that a bare `curl -d` works. A body that is not JSON stays text,
 * unless its content type is application/json (400).
 */
function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    try {
      done(null, text === '' ? undefined : JSON.parse(text));
    } catch {
      const isJson = request.headers['content-type']?.startsWith('application/json');
      done(isJson ? new ControlError(400, 'body is not valid JSON') : null, text);
    }
  });
}

/**
 * Rejects requests whose host name is neither a loopback name nor `host`. The responses contain an API key: a web page
 * must not read them by pointing its own host name at this port (DNS rebinding).
 */
function guardHost(app: FastifyInstance, host: string): void {
  const names = [LOOPBACK, 'localhost', '[::1]', isIPv6(host) ? `[${host}]` : host.toLowerCase()];
  app.addHook('onRequest', async (request) => {
    if (!names.includes(request.hostname.toLowerCase())) {
      throw new ControlError(403, 'the control API accepts only loopback host names and SANDBOX_HOST');
    }
  });
}

function toErrorResponse(error: unknown): { status: number; message: string } {
  if (error instanceof ControlError) return error;
  if (error instanceof GroupError || error instanceof ChannelError)
    return { status: error.code, message: error.message };
  if (error instanceof RangeError) return { status: 400, message: error.message };
  if (error instanceof PairingError) {
    const status = { stale: 404, wrong_code: 400, refused: 409 }[error.reason];
    return { status, message: error.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  // Errors of Fastify have `statusCode`, for example 413 for a body that is too large.
  const status = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  return { status: typeof status === 'number' ? status : 500, message };
}
