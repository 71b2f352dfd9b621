// What tests of groups share: real clients with the events that concern groups, and phones with fresh numbers.
import type { BaileysEventMap } from '@whiskeysockets/baileys';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { Condition } from '../src/lib/condition.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import type { Account, Companion, PhoneMessage } from '../src/world/model.ts';
import { type Identity, RealClient } from './real-client.ts';

const NAMES = [
  'groups.upsert',
  'groups.update',
  'group-participants.update',
  'group.join-request',
  'message-receipt.update',
  'contacts.update',
] as const;
type Name = (typeof NAMES)[number];

export class GroupStage {
  readonly sandbox: Sandbox;
  readonly #clients: RealClient[] = [];
  #next: number;

  private constructor(sandbox: Sandbox, first: number) {
    this.sandbox = sandbox;
    this.#next = first;
  }

  /** `first` number of a range that no other test file uses. */
  static async open(first: number): Promise<GroupStage> {
    return new GroupStage(await createLightSandbox(), first);
  }

  phone(): Phone {
    return this.sandbox.phones.phone(String(this.#next++));
  }

  /** A linked client of a new number, online. */
  member(): Promise<Member> {
    return this.again(this.phone().account);
  }

  /** One more linked client of the account, online. */
  async again(account: Account): Promise<Member> {
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

  /** Ends every client, so that a test finds the world quiet. */
  async rest(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.sock.end(undefined)));
  }
}

export class Member {
  readonly account: Account;
  readonly companion: Companion;
  readonly identity: Identity;
  readonly client: RealClient;
  readonly #events: { name: Name; payload: unknown }[] = [];
  readonly #condition = new Condition();

  constructor(account: Account, companion: Companion, identity: Identity, client: RealClient) {
    this.account = account;
    this.companion = companion;
    this.identity = identity;
    this.client = client;
    client.sock.ev.process((events) => {
      for (const name of NAMES) if (events[name]) this.#events.push({ name, payload: events[name] });
      this.#condition.notify();
    });
  }

  get sock() {
    return this.client.sock;
  }

  /** The first payload of an event, past or to come, for which `matches` does not say no. */
  event<E extends Name>(name: E, matches: (payload: BaileysEventMap[E]) => boolean = () => true) {
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

/** The message with this id as the phone shows it, once it is there. */
export const seenBy = (phone: Phone, id: string): Promise<PhoneMessage> =>
  phone.waitFor(() => phone.messages().find((message) => message.id === id));
