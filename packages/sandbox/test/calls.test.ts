import type { BinaryNode } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createControl } from '../src/control/control.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { RealClient } from './real-client.ts';

let sandbox: Sandbox;
let nextNumber = 15_550_005_001;
let mine: string;
let caller: string;
let client: RealClient;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  mine = String(nextNumber++);
  caller = String(nextNumber++);
  client = new RealClient(sandbox, { creds: sandbox.provision(mine), keys: new Map() });
  await client.open();
});
afterEach(async () => {
  await client.sock.end(undefined);
  expect(sandbox.unanswered).toEqual([]);
});

const waitForCall = () =>
  new Promise<{ id: string; from: string; status: string }>((resolve) => {
    client.sock.ev.on('call', ([call]) => {
      if (call) resolve(call);
    });
  });

/** Records the statuses of calls that the client reports from now on. */
function recordStatuses({ sock }: RealClient): string[] {
  const statuses: string[] = [];
  sock.ev.on('call', (calls) => void statuses.push(...calls.map(({ status }) => status)));
  return statuses;
}

/** Answers a call from the client with an element of this tag. */
async function answerCall(tag: string, id: string, from: string): Promise<void> {
  const content = [{ tag, attrs: { 'call-id': id, 'call-creator': from } }];
  await client.sock.query({ tag: 'call', attrs: { to: from, id: 'ANSWER' }, content });
}

describe('calls', () => {
  it.each([true, false])('a call rings at a client, which can reject it (video: %s)', async (video) => {
    const received = waitForCall();
    const { id } = sandbox.phones.calls.ring(caller, mine, { video });
    const account = sandbox.world.account(caller);
    const call = await received;
    expect(call).toMatchObject({
      id,
      status: 'offer',
      isVideo: video,
      from: lidJid(account),
      callerPn: pnJid(account),
    });
    await client.sock.rejectCall(call.id, call.from);
    expect(sandbox.phones.calls.all.find((entry) => entry.id === id)).toMatchObject({ state: 'rejected', to: mine });
  });

  it('a call rings also when the name of the caller ends with an @', async () => {
    sandbox.world.account(caller).name = 'Ann @';
    const received = waitForCall();
    const { id } = sandbox.phones.calls.ring(caller, mine);
    expect(await received).toMatchObject({ id, status: 'offer' });
  });

  it('a call leaves no stanza in the queue after the client has acknowledged it', async () => {
    const [companion] = sandbox.world.account(mine).companions.values();
    const received = waitForCall();
    sandbox.phones.calls.ring(caller, mine);
    await received;
    await client.sock.fetchPrivacySettings(true);
    expect(companion?.queue.filter(({ node }) => node.tag === 'call')).toEqual([]);
  });

  it('a call leaves no stanza in the queue after an ack that names the signal', async () => {
    const [companion] = sandbox.world.account(mine).companions.values();
    client.sock.ws.removeAllListeners('CB:call');
    const received = new Promise<BinaryNode>((resolve) => client.sock.ws.once('CB:call', resolve));
    sandbox.phones.calls.ring(caller, mine);
    const { attrs } = await received;
    const queued = () => companion?.queue.filter(({ node }) => node.tag === 'call').length;
    expect(queued()).toBe(1);
    const ack = { class: 'call', id: attrs.id ?? '', to: attrs.from ?? '', type: 'offer' };
    await client.sock.sendNode({ tag: 'ack', attrs: ack });
    await client.sock.fetchPrivacySettings(true);
    expect(queued()).toBe(0);
  });

  it.each([
    [undefined, 'terminate'],
    ['timeout', 'timeout'],
  ] as const)('a call ends as missed when the caller gives up (%s)', async (reason, status) => {
    const offered = waitForCall();
    const { id } = sandbox.phones.calls.ring(caller, mine);
    await offered;
    const ended = new Promise((resolve) => client.sock.ev.on('call', ([call]) => resolve(call?.status)));
    expect(sandbox.phones.calls.end(id, reason)).toMatchObject({ state: 'missed' });
    expect(await ended).toBe(status);
    expect(() => sandbox.phones.calls.end(id)).toThrow(RangeError);
  });

  it.each([
    'reject',
    'accept',
  ])('a call stops ringing at the other clients of the account after an answer (%s)', async (answer) => {
    const second = new RealClient(sandbox, { creds: sandbox.provision(mine), keys: new Map() });
    await second.open();
    const [atFirst, atSecond] = [client, second].map(recordStatuses);
    const received = waitForCall();
    const { id } = sandbox.phones.calls.ring(caller, mine);
    const { from } = await received;
    await answerCall(answer, id, from);
    await second.until(() => atSecond?.includes('terminate'));
    await client.sock.fetchPrivacySettings(true);
    expect([atFirst, atSecond]).toEqual([['offer'], ['offer', 'terminate']]);
    await second.sock.end(undefined);
  });

  it('an accepted call ends when the caller hangs up', async () => {
    const received = waitForCall();
    const { calls } = sandbox.phones;
    const { id } = calls.ring(caller, mine);
    const { from } = await received;
    await answerCall('accept', id, from);
    expect(calls.all.find((entry) => entry.id === id)).toMatchObject({ state: 'accepted' });
    const ended = waitForCall();
    expect(calls.end(id)).toMatchObject({ state: 'ended' });
    expect(await ended).toMatchObject({ id, status: 'terminate' });
    expect(() => calls.end(id)).toThrow(RangeError);
  });

  it('a call does not ring at clients of an account that blocked the caller', async () => {
    sandbox.world.account(mine).blocked.add(caller);
    const { calls } = sandbox.phones;
    const blocked = calls.ring(caller, mine);
    expect(calls.end(blocked.id)).toMatchObject({ state: 'missed' });
    sandbox.world.account(mine).blocked.delete(caller);
    const received = waitForCall();
    const { id } = calls.ring(caller, mine);
    expect(await received).toMatchObject({ id, status: 'offer' });
  });

  it('an account that was not called cannot reject the call', async () => {
    const { id } = sandbox.phones.calls.ring(caller, caller);
    await client.sock.rejectCall(id, lidJid(sandbox.world.account(caller)));
    expect(sandbox.phones.calls.all.find((entry) => entry.id === id)).toMatchObject({ state: 'ringing' });
  });

  it('the control API starts, ends and lists calls', async () => {
    const control = createControl(sandbox);
    const url = await control.listen(0);
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${url}${path}`, { method, body: body && JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const created = await ask('POST', `/phones/${caller}/calls`, { to: mine, video: true });
    expect(created).toMatchObject({ status: 201, body: { from: caller, to: mine, video: true, state: 'ringing' } });
    expect(await ask('DELETE', `/phones/${caller}/calls/${created.body.id}`)).toMatchObject({
      body: { state: 'missed' },
    });
    expect(await ask('DELETE', `/phones/${mine}/calls/${created.body.id}`)).toMatchObject({ status: 404 });
    expect(await ask('GET', `/phones/${mine}/calls`)).toMatchObject({ body: [{ id: created.body.id }] });
    await control.close();
  });
});
