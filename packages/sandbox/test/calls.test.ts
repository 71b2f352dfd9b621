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

const nextCall = () =>
  new Promise<{ id: string; from: string; status: string }>((resolve) => {
    client.sock.ev.on('call', ([call]) => {
      if (call) resolve(call);
    });
  });

describe('calls', () => {
  it.each([true, false])('ring at a client, which can reject them (video: %s)', async (video) => {
    const received = nextCall();
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
    expect(sandbox.phones.calls.all.find((each) => each.id === id)).toMatchObject({ state: 'rejected', to: mine });
  });

  it('ring also when the name of the caller ends with an @', async () => {
    sandbox.world.account(caller).name = 'Ann @';
    const received = nextCall();
    const { id } = sandbox.phones.calls.ring(caller, mine);
    expect(await received).toMatchObject({ id, status: 'offer' });
  });

  it('leave no stanza in the queue after the client has acknowledged them', async () => {
    const [companion] = sandbox.world.account(mine).companions.values();
    const received = nextCall();
    sandbox.phones.calls.ring(caller, mine);
    await received;
    await client.sock.fetchPrivacySettings(true);
    expect(companion?.queue.filter(({ node }) => node.tag === 'call')).toEqual([]);
  });

  it.each([
    [undefined, 'terminate'],
    ['timeout', 'timeout'],
  ] as const)('end as missed when the caller gives up (%s)', async (reason, status) => {
    const offered = nextCall();
    const { id } = sandbox.phones.calls.ring(caller, mine);
    await offered;
    const ended = new Promise((resolve) => client.sock.ev.on('call', ([call]) => resolve(call?.status)));
    expect(sandbox.phones.calls.end(id, reason)).toMatchObject({ state: 'missed' });
    expect(await ended).toBe(status);
    expect(() => sandbox.phones.calls.end(id)).toThrow(RangeError);
  });

  it('cannot be rejected by an account that was not called', async () => {
    const { id } = sandbox.phones.calls.ring(caller, caller);
    await client.sock.rejectCall(id, lidJid(sandbox.world.account(caller)));
    expect(sandbox.phones.calls.all.find((each) => each.id === id)).toMatchObject({ state: 'ringing' });
  });

  it('are controlled over HTTP', async () => {
    const control = createControl(sandbox);
    const url = await control.listen(0);
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${url}${path}`, { method, body: body && JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const made = await ask('POST', `/phones/${caller}/calls`, { to: mine, video: true });
    expect(made).toMatchObject({ status: 201, body: { from: caller, to: mine, video: true, state: 'ringing' } });
    expect(await ask('DELETE', `/phones/${caller}/calls/${made.body.id}`)).toMatchObject({ body: { state: 'missed' } });
    expect(await ask('DELETE', `/phones/${mine}/calls/${made.body.id}`)).toMatchObject({ status: 404 });
    expect(await ask('GET', `/phones/${mine}/calls`)).toMatchObject({ body: [{ id: made.body.id }] });
    await control.close();
  });
});
