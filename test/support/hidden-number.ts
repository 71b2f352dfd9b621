// A contact that hides the phone number, for tests. Other accounts see Ada by LID and user name.
import { expect } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from './api.ts';
import { isEvent, startWorld, type World, type WorldOptions } from './gateway.ts';
import { ada, ownNumber } from './group.ts';

export const username = 'ada.l';

export interface HiddenWorld extends Pick<World, 'sandbox' | 'api'> {
  readonly world: World;
  /** Ada's LID. */
  readonly lid: string;
  /** Sends the text from Ada's phone. Resolves with the data of its event. */
  receiveText(text: string, to?: string): Promise<unknown>;
  /** Resolves with the data of the first event that matches, including past events. */
  next(event: string, matches?: (data: unknown) => boolean): Promise<unknown>;
  /** Expects Ada's LID, and not Ada's number, in the posts and answers of the gateway. */
  expectNoNumber(): void;
}

/** Starts a world whose instance `sales` of the number `mine` does not know Ada's number. */
export async function hiddenWorld(options?: WorldOptions): Promise<HiddenWorld> {
  const world = await startWorld(options);
  const account = world.sandbox.world.account(ada);
  Object.assign(account, { hidesNumber: true, username, name: 'Ada' });
  await world.link('sales', ownNumber);
  const answers: unknown[] = [];
  const { api } = world;
  const next = async (event: string, matches: (data: unknown) => boolean = () => true) => {
    const { body } = await world.receiver.next((post) => isEvent(post.body, event) && matches(at(post.body, 'data')));
    return at(body, 'data');
  };
  const recordingApi: World['api'] = Object.assign(
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
    api: recordingApi,
    lid: lidJid(account),
    next,
    async receiveText(text: string, to = ownNumber) {
      const id = await world.sandbox.phones.phone(ada).send(to, { text });
      return next('messages.upsert', (data) => at(data, 'key.id') === id);
    },
    expectNoNumber() {
      const output = JSON.stringify([world.receiver.posts.map(({ body }) => body), answers]);
      expect(output).toContain(account.lid);
      expect(output).not.toContain(ada);
    },
  };
}
