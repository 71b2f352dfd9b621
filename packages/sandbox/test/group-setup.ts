// Support for tests of groups: real clients that record the events of groups, and phones with unused numbers.
import type { BaileysEventMap } from '@whiskeysockets/baileys';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { Condition } from '../src/lib/condition.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import type { Account, Companion, PhoneMessage } from '../src/world/model.ts';
import { type Identity, RealClient } from './real-client.ts';

const EVENT_NAMES = [
  'groups.upsert',
  'groups.update',
  'group-participants.update',
  'group.join-request',
  'message-receipt.update',
  'contacts.update',
] as const;
type EventName = (typeof EVENT_NAMES)[number];

export class GroupStage {
  readonly sandbox: Sandbox;
  readonly #clients: RealClient[] = [];
  #nextNumber: number;

  private constructor(sandbox: Sandbox, first: number) {
    this.sandbox = sandbox;
    this.#nextNumber = first;
  }

  /** `first` is the first number of a range that no other test file uses. */
  static async open(first: number): Promise<GroupStage> {
    return new GroupStage(await createLightSandbox(), first);
  }

  phone(): Phone {
    return this.sandbox.phones.phone(String(this.#nextNumber++));
  }

  /** Connects a linked client of a new number. */
  member(): Promise<Member> {
    return this.linkDevice(this.phone().account);
  }

  /** Connects another linked client of the account. */
  async linkDevice(account: Account): Promise<Member> {
    const creds = this.sandbox.provision(account.number);
    const companion = [...account.companions.values()].at(-1);
    if (!companion) throw new Error('provisioning left no companion');
    return this.connect(account, companion, { creds, keys: new Map() });
  }

  async connect(account: Account, companion: Companion, identity: Identity, config = {}): Promise<Member> {
    const client = new RealClient(this.sandbox, identity, config);
    this.#clients.push(client);
    const member = new Member(account, companion, identity, client);
    await client.open();
    return member;
  }

  /** Ends all clients, so that they do not affect the next test. */
  async disconnectClients(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.sock.end(undefined)));
  }
}

export class Member {
  readonly account: Account;
  readonly companion: Companion;
  readonly identity: Identity;
  readonly client: RealClient;
  readonly #events: { name: EventName; payload: unknown }[] = [];
  readonly #condition = new Condition();

  constructor(account: Account, companion: Companion, identity: Identity, client: RealClient) {
    this.account = account;
    this.companion = companion;
    this.identity = identity;
    this.client = client;
    client.sock.ev.process((events) => {
      for (const name of EVENT_NAMES) if (events[name]) this.#events.push({ name, payload: events[name] });
      this.#condition.notify();
    });
  }

  get sock() {
    return this.client.sock;
  }

  /** Resolves with the first payload of an event, past or future, for which `matches` returns true. */
  event<E extends EventName>(name: E, matches: (payload: BaileysEventMap[E]) => boolean = () => true) {
    return this.#condition.waitFor(() => {
      const found = this.#events.find((event) => event.name === name && matches(event.payload as BaileysEventMap[E]));
      return found && (found.payload as BaileysEventMap[E]);
    });
  }

  /** Sends a text and resolves with its id. */
  async send(to: string, text: string): Promise<string> {
    const sent = await this.sock.sendMessage(to, { text });
    return sent?.key.id ?? '';
  }
}

/** Waits until the phone shows the message with this id, and resolves with it. */
export const waitForMessage = (phone: Phone, id: string): Promise<PhoneMessage> =>
  phone.waitFor(() => phone.messages().find((message) => message.id === id));
