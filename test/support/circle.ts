// The people around an account whose session moves, and what they write before and after the move: contacts with
// numbers and with LIDs, a contact with several devices, a group, a contact who never answered, and a late message.

import { type BinaryNode, getAllBinaryNodeChildren } from '@whiskeysockets/baileys';
import { expect } from 'vitest';
import { Condition } from '../../packages/sandbox/src/lib/condition.ts';
import type { Phone } from '../../packages/sandbox/src/phone/phone.ts';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { Companion } from '../../packages/sandbox/src/world/model.ts';
import { installSessionQueue } from '../../src/whatsapp/baileys/patches/session-queue.ts';
import { installSessionRollback } from '../../src/whatsapp/baileys/patches/session-rollback.ts';
import { within } from '../interop/support/observations.ts';
import { OldClient } from './old-clients.ts';

/** Who has the session: a client of another program, or an instance of the gateway. */
export interface Speaker {
  /** Sends a text to a number or a group; resolves with its id. */
  send(to: string, text: string): Promise<string>;
  /** The text of a received message, past or to come. */
  receivedText(id: string): Promise<string>;
}

/** What the platform saw of one account since the last forget(). */
interface Seen {
  /** Messages that its client could not decrypt and requested again. */
  requested: string[];
  /** Its messages that others could not decrypt and requested again. */
  refused: string[];
  /** Number of copies with which its client opened a Signal session. */
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

  async has(number: string, id: string): Promise<void> {
    await this.#condition.waitFor(() => this.#known.has(`${number} ${id}`));
  }
}

/** The simulated platform, with the contacts that all accounts share. */
export class Town {
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
  static async open(deskFolder: string): Promise<Town> {
    // A client with two sessions with one device, such as that of a person whom it knows by number and by LID, spoils
    // one of them otherwise. Then a test cannot know which messages the move has lost.
    installSessionRollback();
    // The clients share one process, and libsignal its queue: without it, a client that writes to a device for the first
    // time can leave the device out while another client does the same.
    installSessionQueue();
    const seen = new Map<string, Seen>();
    const of = (number: string): Seen => {
      const found = seen.get(number) ?? { requested: [], refused: [], opened: 0 };
      seen.set(number, found);
      return found;
    };
    const receipts = new Receipts();
    const sandbox = await createSandbox({
      tlsPort: false,
      onStanza({ number, node }) {
        const { tag, attrs } = node;
        // Until its presence is sent, Baileys confirms messages with the type `inactive`.
        if (tag === 'receipt' && attrs.id && (!attrs.type || attrs.type === 'inactive')) receipts.add(number, attrs.id);
        if (tag === 'receipt' && attrs.type === 'retry') of(number).requested.push(describe(attrs));
        if (tag === 'message') of(number).opened += countOpening(node);
      },
    });
    const { deliver } = sandbox.world;
    sandbox.world.deliver = (to, key, node) => {
      const { tag, attrs } = node;
      if (tag === 'receipt' && attrs.type === 'retry') of(to.account.number).refused.push(describe(attrs));
      deliver(to, key, node);
    };
    const town = new Town(sandbox, { seen, receipts, deskFolder });
    await town.desk.link();
    return town;
  }

  /** An unused number. */
  number(): string {
    this.#nextNumber += 1;
    return String(this.#nextNumber);
  }

  /** What the platform saw of the account. */
  seen(number: string): Seen {
    return this.#seen.get(number) ?? { requested: [], refused: [], opened: 0 };
  }

  /** Resolves when the client of the account has confirmed the message. */
  confirmed(number: string, id: string): Promise<void> {
    return this.#receipts.has(number, id);
  }

  forget(number: string): void {
    this.#seen.delete(number);
  }

  /** The circle of the account; its group is new. */
  circle(number: string): Circle {
    return new Circle(this, number);
  }

  async close(): Promise<void> {
    await this.desk.stop();
    await this.sandbox.close();
  }
}

/** The message that a retry receipt is about, with its author and chat. */
const describe = ({ id, to, from, participant }: BinaryNode['attrs']): string =>
  [id, to ?? from, participant].filter(Boolean).join(' ');

/** The number of encrypted copies in a message that open a session. */
function countOpening(node: BinaryNode): number {
  const below = getAllBinaryNodeChildren(node).map(countOpening);
  return below.reduce((sum, each) => sum + each, node.tag === 'enc' && node.attrs.type === 'pkmsg' ? 1 : 0);
}

/** A message that one device got before an earlier one. */
interface Late {
  id: string;
  text: string;
  deliver(): void;
}

export class Circle {
  readonly town: Town;
  readonly number: string;
  readonly group: string;
  late: Late | undefined;

  constructor(town: Town, number: string) {
    this.town = town;
    this.number = number;
    this.group = town.ada.createGroup(`Group of ${number}`, [number, town.bob.account.number]).id;
  }

  /** Writes in both directions with each contact and in the group, and expects each text at its goal. */
  async exchange(speaker: Speaker, round: string): Promise<void> {
    const { ada, bob, desk } = this.town;
    await this.talk(speaker, ada, round);
    await this.talk(speaker, bob, round);
    await this.#arrives(speaker, `desk, ${round}`, (text) => desk.send(this.number, text));
    for (const phone of [ada, bob]) {
      await this.#arrives(speaker, `group, ${phone.account.number}, ${round}`, (text) =>
        phone.send(this.group, { text }),
      );
    }
    await this.#arrives(speaker, `group, desk, ${round}`, (text) => desk.send(this.group, text));
    const text = `to the group, ${round}`;
    const id = await speaker.send(this.group, text);
    await Promise.all([shown(ada, id, text), shown(bob, id, text), this.#onDesk(id, text)]);
  }

  /** Writes in both directions with one contact; the contact begins. */
  async talk(speaker: Speaker, phone: Phone, round: string): Promise<void> {
    const { number } = phone.account;
    await this.#arrives(speaker, `from ${number}, ${round}`, (text) => phone.send(this.number, { text }));
    await this.write(speaker, phone, round);
  }

  /** The account writes to one contact, and all devices of the contact show it. */
  async write(speaker: Speaker, phone: Phone, round: string): Promise<void> {
    const { number } = phone.account;
    const text = `to ${number}, ${round}`;
    const id = await speaker.send(number, text);
    await shown(phone, id, text);
    if (phone === this.town.bob) await this.#onDesk(id, text);
  }

  /**
   * Makes a message of `dan` late: the client gets the next one first. `reconnect` connects the client, which is
   * stopped, and dan has written to it before. Resolves when the client has confirmed the next one.
   */
  async delay(reconnect: () => Promise<void>): Promise<void> {
    const { dan } = this.town;
    const text = 'late';
    const id = await dan.send(this.number, { text });
    const companion = this.companion();
    const index = companion.queue.findIndex(({ node }) => node.attrs.id === id);
    const [held] = companion.queue.splice(index, 1);
    if (!held) throw new Error('no message to delay');
    this.late = { id, text, deliver: () => this.town.sandbox.world.deliver(companion, held.key, held.node) };
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

  async #arrives(speaker: Speaker, text: string, send: (text: string) => Promise<string>): Promise<void> {
    const id = await send(text);
    const received = await within(speaker.receivedText(id), `"${text}" at ${this.number}`, () => [
      this.town.seen(this.number),
    ]);
    expect(received).toBe(text);
  }

  async #onDesk(id: string, text: string): Promise<void> {
    const received = await within(this.town.desk.receivedText(id), `"${text}" at the second device`, () => [
      this.town.seen(this.town.desk.number),
      this.town.seen(this.number),
    ]);
    expect(received).toBe(text);
  }
}

/** Waits until the phone shows the message. */
async function shown(phone: Phone, id: string, text: string): Promise<void> {
  const message = phone.waitFor(() => phone.messages().find((each) => each.id === id));
  const seen = () => phone.messages().slice(-3);
  expect((await within(message, `"${text}" at ${phone.account.number}`, seen)).text).toBe(text);
}
