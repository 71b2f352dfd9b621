// An instance of a gateway with the session of another program. It uses HTTP and webhooks only, as a client does.
import { expect } from 'vitest';
import { type Api, at, textAt } from './api.ts';
import { isEvent, isState } from './gateway.ts';
import { withTimeout } from './observations.ts';
import type { Post, Receiver } from './receiver.ts';
import type { SessionClient } from './session-move-contacts.ts';

export class MovedInstance implements SessionClient {
  readonly name: string;
  readonly #api: Api;
  readonly #receiver: Receiver;

  constructor(name: string, { api, receiver }: { api: Api; receiver: Receiver }) {
    this.name = name;
    this.#api = api;
    this.#receiver = receiver;
  }

  /** Sends the events of the instance to the receiver. */
  async subscribe(): Promise<void> {
    await this.#call('POST', 'webhook/set', { webhook: { enabled: true, url: this.#receiver.url } });
  }

  /** Connects, and expects that the instance opens without a QR code. */
  async connect(): Promise<void> {
    const body = await this.#call('GET', 'instance/connect');
    expect(JSON.stringify(body)).not.toMatch(/base64|pairingCode":"/);
    await this.#post('connection.update: open', ({ body: posted }) => isState(posted, this.name, 'open'));
  }

  /** Stops the instance. Resolves with its session as an encrypted bundle. */
  export(passphrase: string): Promise<unknown> {
    return this.#call('POST', 'instance/export', { passphrase, stop: true });
  }

  async send(to: string, text: string): Promise<string> {
    return textAt(await this.#call('POST', 'message/sendText', { number: to, text }), 'key.id');
  }

  async receivedText(id: string): Promise<string> {
    const isMessage = ({ body }: Post) =>
      isEvent(body, 'messages.upsert', this.name) && at(body, 'data.key.id') === id && textOf(body) !== undefined;
    return textOf((await this.#post(`message ${id}`, isMessage)).body) ?? '';
  }

  /** The chat with a number, as chat/findChats returns it. */
  async chat(number: string): Promise<unknown> {
    const chats = await this.#call('POST', 'chat/findChats', { where: { remoteJid: `${number}@s.whatsapp.net` } });
    return Array.isArray(chats) ? chats[0] : undefined;
  }

  /** Resolves when a webhook has reported a change of the chat with a number for which `matches` returns true. */
  async chatChange(number: string, matches: (chat: unknown) => boolean): Promise<void> {
    await this.#post(`change of ${number}`, ({ body }) => {
      if (!isEvent(body, 'chats.update', this.name)) return false;
      return [at(body, 'data')]
        .flat()
        .some((chat) => at(chat, 'remoteJid') === `${number}@s.whatsapp.net` && matches(chat));
    });
  }

  /** Pins the chat with a number. */
  async pin(number: string): Promise<void> {
    await this.#call('POST', 'chat/pinChat', { number, pin: true });
  }

  /** Webhook bodies of messages that could not be decrypted. */
  undecryptable(): unknown[] {
    return this.#bodies().filter((body) => isEvent(body, 'messages.undecryptable', this.name));
  }

  /** Webhook bodies with a QR code. */
  qrCodes(): unknown[] {
    return this.#bodies().filter((body) => isEvent(body, 'qrcode.updated', this.name));
  }

  #bodies(): unknown[] {
    return this.#receiver.posts.map(({ body }) => body);
  }

  #post(what: string, matches: (post: Post) => boolean): Promise<Post> {
    return withTimeout(this.#receiver.next(matches), `${this.name}: ${what}`, () => this.#bodies().slice(-8));
  }

  async #call(method: string, operation: string, body?: unknown): Promise<unknown> {
    const answer = await this.#api(method, `/${operation}/${encodeURIComponent(this.name)}`, body);
    expect(answer.status, `${operation}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  }
}

function textOf(body: unknown): string | undefined {
  const message = at(body, 'data.message');
  if (typeof message !== 'object' || message === null) return undefined;
  const text: unknown =
    Reflect.get(message, 'conversation') ?? Reflect.get(Object(Reflect.get(message, 'extendedTextMessage')), 'text');
  return typeof text === 'string' ? text : undefined;
}
