// The contacts of an account whose session moves, and their messages before and after the move. There are contacts with
// numbers and with LIDs, a contact with several devices, a group, a contact that never answers, and a late message.

import { type BinaryNode, getAllBinaryNodeChildren } from '@whiskeysockets/baileys';
import { expect } from 'vitest';
import { Condition } from '../../packages/sandbox/src/lib/condition.ts';
import type { Phone } from '../../packages/sandbox/src/phone/phone.ts';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { Companion } from '../../packages/sandbox/src/world/model.ts';
import { installSessionQueue } from '../../src/whatsapp/baileys/patches/session-queue.ts';
import { installSessionRollback } from '../../src/whatsapp/baileys/patches/session-rollback.ts';
import { withTimeout } from './observations.ts';
import { OldClient } from './old-clients.ts';

/** The client that has the session of the account: a client of another program, or an instance of the gateway. */
export interface SessionClient {
  /** Sends a text to a number or a group. Resolves with the id of the message. */
  send(to: string, text: string): Promise<string>;
  /** Resolves with the text of a received message as soon as the message has arrived. */
  receivedText(id: string): Promise<string>;
}

/** Observations of the platform about one account since the last forget(). */
interface Seen {
  /** Messages that its client could not decrypt and requested again. */
  requested: string[];
  /** Messages of the account that other clients could not decrypt and requested again. */
  refused: string[];
  /** Number of encrypted copies of messages with which its client opened a Signal session. */
  opened: number;
}

/** Receipts of clients, as `<number> <id>`. */
class Receipts {
  readonly #known = new Set<string>();
  readonly #condition = new Condition();

  add(number: string, id: string): void {
    this.#known.add(`${number} ${id}`);
    this.#condition.notify();
  }

  async waitFor(number: string, id: string): Promise<void> {
    await this.#condition.waitFor(() => this.#known.has(`${number} ${id}`));
  }
}

/** The simulated platform, with the contacts that all accounts share. */
export class SimulatedPlatform {
  readonly sandbox: Sandbox;
  /** Addressed by number. */
  readonly ada: Phone;
  /** Addressed by LID; `desk` is his second device. */
  readonly bob: Phone;
  readonly desk: OldClient;
  /** Never answers. */
  readonly cleo: Phone;
  /** One of his messages is late. */
  readonly dan: Phone;
  readonly #seen: Map<string, Seen>;
  readonly #receipts: Receipts;
  #nextNumber = 15_550_019_100;

  private constructor(
    sandbox: Sandbox,
    { seen, receipts, deskFolder }: { seen: Map<string, Seen>; receipts: Receipts; deskFolder: string },
  ) {
    this.sandbox = sandbox;
    this.#seen = seen;
    this.#receipts = receipts;
    [this.ada, this.bob, this.cleo, this.dan] = [1, 2, 3, 4].map((n) => sandbox.phones.phone(`1555001900${n}`)) as [
      Phone,
      Phone,
      Phone,
      Phone,
    ];
    this.bob.account.migrated = true;
    this.desk = new OldClient(sandbox, {
      make: 'baileys 7.0.0-rc14',
      number: this.bob.account.number,
      folder: deskFolder,
    });
  }

  /** Opens the platform and links the second device of `bob`, whose state is in `deskFolder`. */
  static async open(deskFolder: string): Promise<SimulatedPlatform> {
    // A client can have two sessions with one device, for example with a contact that it knows by number and by LID.
    // Without this patch, it damages one of them. A test could then not determine which messages the move has lost.
    installSessionRollback();
    // All clients share this process and the queue of libsignal. Without this patch, a client that sends to a device
    // for the first time can omit the device while another client does the same.
    installSessionQueue();
    const seen = new Map<string, Seen>();
    const entryOf = (number: string): Seen => {
      const found = seen.get(number) ?? { requested: [], refused: [], opened: 0 };
      seen.set(number, found);
      return found;
    };
    const receipts = new Receipts();
    const sandbox = await createSandbox({
      tlsPort: false,
      onStanza({ number, node }) {
        const { tag, attrs } = node;
        // Baileys confirms messages with the type `inactive` until it has sent its presence.
        if (tag === 'receipt' && attrs.id && (!attrs.type || attrs.type === 'inactive')) receipts.add(number, attrs.id);
        if (tag === 'receipt' && attrs.type === 'retry') entryOf(number).requested.push(messageOf(attrs));
        if (tag === 'message') entryOf(number).opened += countOpening(node);
      },
    });
    const { deliver } = sandbox.world;
    sandbox.world.deliver = (to, key, node) => {
      const { tag, attrs } = node;
      if (tag === 'receipt' && attrs.type === 'retry') entryOf(to.account.number).refused.push(messageOf(attrs));
      deliver(to, key, node);
    };
    const town = new SimulatedPlatform(sandbox, { seen, receipts, deskFolder });
    await town.desk.link();
    return town;
  }

  /** An unused number. */
  number(): string {
    this.#nextNumber += 1;
    return String(this.#nextNumber);
  }

  /** Observations about the account since the last forget(). */
  seen(number: string): Seen {
    return this.#seen.get(number) ?? { requested: [], refused: [], opened: 0 };
  }

  /** Resolves when the client of the account has confirmed the message. */
  confirmed(number: string, id: string): Promise<void> {
    return this.#receipts.waitFor(number, id);
  }

  forget(number: string): void {
    this.#seen.delete(number);
  }

  /** Returns the circle of the account. Creates its group. */
  circle(number: string): Contacts {
    return new Contacts(this, number);
  }

  async close(): Promise<void> {
    await this.desk.stop();
    await this.sandbox.close();
  }
}

/** The id of the message that a retry receipt requests, with its chat and its author. */
const messageOf = ({ id, to, from, participant }: BinaryNode['attrs']): string =>
  [id, to ?? from, participant].filter(Boolean).join(' ');

/** The number of encrypted copies in a message that open a session. */
function countOpening(node: BinaryNode): number {
  const countsBelow = getAllBinaryNodeChildren(node).map(countOpening);
  return countsBelow.reduce((sum, count) => sum + count, node.tag === 'enc' && node.attrs.type === 'pkmsg' ? 1 : 0);
}

/** A message that the client receives after a later one. */
interface Late {
  id: string;
  text: string;
  deliver(): void;
}

export class Contacts {
  readonly town: SimulatedPlatform;
  readonly number: string;
  readonly group: string;
  late: Late | undefined;

  constructor(town: SimulatedPlatform, number: string) {
    this.town = town;
    this.number = number;
    this.group = town.ada.createGroup(`Group of ${number}`, [number, town.bob.account.number]).id;
  }

  /** Sends messages in both directions with each contact and in the group, and expects that each text arrives. */
  async exchange(speaker: SessionClient, round: string): Promise<void> {
    const { ada, bob, desk } = this.town;
    await this.talk(speaker, ada, round);
    await this.talk(speaker, bob, round);
    await this.#expectArrival(speaker, `desk, ${round}`, (text) => desk.send(this.number, text));
    for (const phone of [ada, bob]) {
      await this.#expectArrival(speaker, `group, ${phone.account.number}, ${round}`, (text) =>
        phone.send(this.group, { text }),
      );
    }
    await this.#expectArrival(speaker, `group, desk, ${round}`, (text) => desk.send(this.group, text));
    const text = `to the group, ${round}`;
    const id = await speaker.send(this.group, text);
    await Promise.all([expectOnPhone(ada, id, text), expectOnPhone(bob, id, text), this.#expectOnDesk(id, text)]);
  }

  /** Sends messages in both directions with one contact. The contact sends first. */
  async talk(speaker: SessionClient, phone: Phone, round: string): Promise<void> {
    const { number } = phone.account;
    await this.#expectArrival(speaker, `from ${number}, ${round}`, (text) => phone.send(this.number, { text }));
    await this.write(speaker, phone, round);
  }

  /** Sends a message of the account to one contact, and expects it on all devices of the contact. */
  async write(speaker: SessionClient, phone: Phone, round: string): Promise<void> {
    const { number } = phone.account;
    const text = `to ${number}, ${round}`;
    const id = await speaker.send(number, text);
    await expectOnPhone(phone, id, text);
    if (phone === this.town.bob) await this.#expectOnDesk(id, text);
  }

  /**
   * Delays a message of `dan`, so that the client receives the next message first. The client is stopped, and `dan` has
   * sent messages to it before. `reconnect` connects the client. Resolves when the client has confirmed the next
   * message.
   */
  async delay(reconnect: () => Promise<void>): Promise<void> {
    const { dan } = this.town;
    const text = 'late';
    const id = await dan.send(this.number, { text });
    const companion = this.companion();
    const index = companion.queue.findIndex(({ node }) => node.attrs.id === id);
    const [queued] = companion.queue.splice(index, 1);
    if (!queued) throw new Error('no message to delay');
    this.late = { id, text, deliver: () => this.town.sandbox.world.deliver(companion, queued.key, queued.node) };
    const next = await dan.send(this.number, { text: 'early' });
    await reconnect();
    await this.town.confirmed(this.number, next);
  }

  /** The linked device of the account. */
  companion(): Companion {
    const companion = [...this.town.sandbox.world.account(this.number).companions.values()].at(-1);
    if (!companion) throw new Error(`${this.number} has no linked device`);
    return companion;
  }

  async #expectArrival(speaker: SessionClient, text: string, send: (text: string) => Promise<string>): Promise<void> {
    const id = await send(text);
    const received = await withTimeout(speaker.receivedText(id), `"${text}" at ${this.number}`, () => [
      this.town.seen(this.number),
    ]);
    expect(received).toBe(text);
  }

  async #expectOnDesk(id: string, text: string): Promise<void> {
    const received = await withTimeout(this.town.desk.receivedText(id), `"${text}" at the second device`, () => [
      this.town.seen(this.town.desk.number),
      this.town.seen(this.number),
    ]);
    expect(received).toBe(text);
  }
}

/** Waits for the message on the phone and expects its text. */
async function expectOnPhone(phone: Phone, id: string, text: string): Promise<void> {
  const message = phone.waitFor(() => phone.messages().find((entry) => entry.id === id));
  const lastMessages = () => phone.messages().slice(-3);
  expect((await withTimeout(message, `"${text}" at ${phone.account.number}`, lastMessages)).text).toBe(text);
}
