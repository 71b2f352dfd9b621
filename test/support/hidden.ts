// A person who hides the phone number, for tests: Ada, whom others see by LID and user name.
import { expect } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from './api.ts';
import { isEvent, startWorld, type World, type WorldOptions } from './gateway.ts';
import { ada, mine } from './group.ts';

export const username = 'ada.l';

export interface HiddenWorld extends Pick<World, 'sandbox' | 'api'> {
  readonly world: World;
  /** Ada's LID. */
  readonly lid: string;
  /** Ada sends the text; resolves with the data of its event. */
  receiveText(text: string, to?: string): Promise<unknown>;
  /** The data of the first event, past or coming, that matches. */
  next(event: string, matches?: (data: unknown) => boolean): Promise<unknown>;
  /** Fails when anything that the gateway posted or answered contains Ada's number. */
  expectNoNumber(): void;
}

/** A world whose instance `sales` of `mine` does not know Ada's number. */
export async function hiddenWorld(options?: WorldOptions): Promise<HiddenWorld> {
  const world = await startWorld(options);
  const account = world.sandbox.world.account(ada);
  Object.assign(account, { hidesNumber: true, username, name: 'Ada' });
  await world.link('sales', mine);
  const answers: unknown[] = [];
  const { api } = world;
  const next = async (event: string, matches: (data: unknown) => boolean = () => true) => {
    const { body } = await world.receiver.next((post) => isEvent(post.body, event) && matches(at(post.body, 'data')));
    return at(body, 'data');
  };
  const recorded: World['api'] = Object.assign(
    async (...call: Parameters<World['api']>) => {
      const answer = await api(...call);
      answers.push(answer.body);
      return answer;
    },
    { url: api.url, key: api.key },
  );
  return {
    world,
    sandbox: world.sandbox,
    api: recorded,
    lid: lidJid(account),
    next,
    async receiveText(text: string, to = mine) {
      const id = await world.sandbox.phones.phone(ada).send(to, { text });
      return next('messages.upsert', (data) => at(data, 'key.id') === id);
    },
    expectNoNumber() {
      const written = JSON.stringify([world.receiver.posts.map(({ body }) => body), answers]);
      expect(written).toContain(account.lid);
      expect(written).not.toContain(ada);
    },
  };
}
