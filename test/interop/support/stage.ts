// The environment for all tests of a file: the platform, a gateway with the linked instance `shop`, and a linked
// interop client. Each of the two has its own account, whose phone the tests operate through the control API.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { proto } from 'whatsapp-interop-client/proto-types';
import type { Gateway } from '../../../src/app/compose.ts';
import { type Api, at, createApi, textAt } from '../../support/api.ts';
import { postViolations } from '../../support/conforms.ts';
import { isEvent, isState, isTransition, KEY, Log, startGateway } from '../../support/gateway.ts';
import { withTimeout } from '../../support/observations.ts';
import { type Post, type Receiver, startReceiver } from '../../support/receiver.ts';
import { InteropClient, type ReceivedMessage } from './client.ts';
import { type Account, createAccount, scan } from './phones.ts';
import { openPlatform, type Platform } from './platform.ts';

export const INSTANCE = 'shop';

export interface Stage {
  platform: Platform;
  gateway: Gateway;
  api: Api;
  receiver: Receiver;
  log: Log;
  /** The account of the instance. */
  shop: Account;
  /** The account of the client. */
  ada: Account;
  client: InteropClient;
  /** Adds patterns of log messages of level error that a test causes on purpose. */
  expectErrors(...patterns: RegExp[]): void;
  /** Calls the gateway and returns the body; throws unless the status is 200 or 201. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Waits for the first webhook body of an event that matches, past or future. */
  waitForWebhook(event: string, matches?: (body: unknown) => boolean, after?: number): Promise<unknown>;
  /** Sends a message from the client to the instance. Resolves with `data` of the webhook. */
  sendFromClient(content: proto.IMessage, to?: string): Promise<unknown>;
  /** Sends with `POST /message/{kind}` from the instance to the client. Resolves with the received message. */
  sendFromInstance(kind: string, body: object): Promise<ReceivedMessage>;
  /** Waits for the webhook body of the message with this id. */
  waitForMessage(id: string): Promise<unknown>;
  /** Waits until the log reports, from line `after` on, that the instance is open again. */
  waitUntilOpen(after: number): Promise<unknown>;
  /** Waits for the webhook body with this status of the message. */
  waitForStatus(id: string, status: string): Promise<unknown>;
}

export interface StageOptions {
  /** Settings of the gateway. */
  env?: Record<string, string>;
  /** Fields of the request that creates the instance. */
  instance?: object;
  /** Stanzas that the platform may leave unanswered, as text in their JSON. */
  mayBeUnanswered?: RegExp[];
  /** Runs before the instance and the client are linked. */
  prepare?: (stage: Pick<Stage, 'platform' | 'shop' | 'ada'>) => Promise<void>;
}

/** Creates the environment before the tests of the file and removes it after them. */
export function useStage(options: StageOptions = {}): Stage {
  const stage = {} as Stage; // filled before the tests
  const dataDir = mkdtempSync(join(tmpdir(), 'interop-'));
  const expectedErrors: RegExp[] = [];
  stage.log = new Log().setMaxListeners(0);
  stage.expectErrors = (...patterns) => void expectedErrors.push(...patterns);
  addMethods(stage);

  beforeAll(async () => {
    stage.platform = await openPlatform();
    stage.shop = await createAccount(stage.platform, 'Shop');
    stage.ada = await createAccount(stage.platform, 'Ada');
    await options.prepare?.(stage);
    stage.receiver = await startReceiver();
    const { gateway, url } = await startGateway(stage.platform.endpoint, dataDir, stage.log, options.env ?? {});
    stage.gateway = gateway;
    stage.api = createApi(url, KEY);
    [stage.client] = await Promise.all([linkClient(stage.platform, stage.ada), linkInstance(stage, options.instance)]);
  });

  afterAll(async () => {
    await stage.client?.stop();
    await stage.gateway?.stop();
    await stage.receiver?.stop();
    const unanswered = (await stage.platform?.unanswered()) ?? [];
    await stage.platform?.close();
    rmSync(dataDir, { recursive: true, force: true });
    const errors = stage.log.lines.filter(
      ({ level, msg }) => level >= 50 && !expectedErrors.some((pattern) => pattern.test(msg)),
    );
    expect(errors).toEqual([]);
    expect(stage.receiver.posts.flatMap(({ body }) => postViolations(body) ?? [])).toEqual([]);
    const { mayBeUnanswered = [] } = options;
    const isUnexpected = (stanza: unknown) => !mayBeUnanswered.some((pattern) => pattern.test(JSON.stringify(stanza)));
    expect(unanswered.filter(isUnexpected)).toEqual([]);
  });
  return stage;
}

/** Creates the instance and scans its QR code with the phone of `shop`. */
async function linkInstance(stage: Stage, fields: object = {}): Promise<void> {
  const { api, receiver, platform, shop } = stage;
  const body = { instanceName: INSTANCE, qrcode: true, webhook: receiver.url, ...fields };
  const created = await api('POST', '/instance/create', body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  await scan(platform, shop, textAt(created.body, 'qrcode.code'));
  await receiver.next(({ body }) => isState(body, INSTANCE, 'open'));
}

/** Starts a client and scans its QR code with the phone of `account`. The caller stops it. */
export async function linkClient(platform: Platform, account: Account): Promise<InteropClient> {
  const client = await InteropClient.start(platform);
  const { data } = await client.event('qr');
  await scan(platform, account, data.code);
  await client.event('connected');
  return client;
}

function addMethods(stage: Stage): void {
  const nextPost = (what: string, matches: (post: Post) => boolean, after = 0) =>
    withTimeout(stage.receiver.next(matches, { after }), what, () =>
      stage.receiver.posts.slice(-20).map(({ body }) => body),
    );
  stage.call = async (method, path, body) => {
    const answer = await stage.api(method, path, body);
    if (answer.status !== 200 && answer.status !== 201) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  };
  stage.waitForWebhook = async (event, matches = () => true, after = 0) =>
    (await nextPost(event, ({ body }) => isEvent(body, event, INSTANCE) && matches(body), after)).body;
  stage.sendFromClient = async (content, to = stage.shop.jid) =>
    at(await stage.waitForMessage(await stage.client.send(to, content)), 'data');
  stage.sendFromInstance = async (kind, body) => {
    const sent = await stage.call('POST', `/message/${kind}/${INSTANCE}`, { number: stage.ada.number, ...body });
    return stage.client.message(textAt(sent, 'key.id'));
  };
  stage.waitForMessage = (id) => stage.waitForWebhook('messages.upsert', (body) => at(body, 'data.key.id') === id);
  stage.waitUntilOpen = (after) =>
    withTimeout(
      stage.log.next((line) => isTransition(line, 'open'), after),
      'open instance',
      () => stage.log.lines.slice(-10),
    );
  stage.waitForStatus = (id, status) =>
    stage.waitForWebhook(
      'messages.update',
      (body) => at(body, 'data.keyId') === id && at(body, 'data.status') === status,
    );
}
