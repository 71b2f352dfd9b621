// Requests with an idempotency key: claims, stored responses and expiry.
import { expect, it } from 'vitest';
import { instance } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const claim = (digest: string, now: number) => ({ digest, messageId: `M-${digest}`, now, expiresAt: now + 100 });

export function requestTests(open: OpenFixture): void {
  it('requests.claim() returns the earlier request and its response to a repeated claim, also after a restart', async () => {
    const fixture = await open();
    const { requests } = fixture.storage;
    expect(await requests.claim('a', 'answered', claim('one', 0))).toBeNull();
    expect(await requests.claim('a', 'open', claim('two', 0))).toBeNull();
    expect(await requests.claim('b', 'open', claim('other instance', 0))).toBeNull();
    await requests.storeResponse('a', 'answered', { status: 201, body: '{"a":"\\u0000"}' });
    for await (const store of beforeAndAfterRestart(fixture)) {
      expect(await store.requests.claim('a', 'answered', claim('different', 99))).toEqual({
        digest: 'one',
        messageId: 'M-one',
        response: { status: 201, body: '{"a":"\\u0000"}' },
      });
      expect(await store.requests.claim('a', 'open', claim('two', 1))).toMatchObject({ digest: 'two', response: null });
    }
  });

  it('requests.claim() ignores a deleted or expired request and its response', async () => {
    const { storage } = await open();
    const { requests } = storage;
    await requests.claim('a', 'failed', claim('one', 0));
    await requests.delete('a', 'failed');
    expect(await requests.claim('a', 'failed', claim('two', 0))).toBeNull();
    await requests.storeResponse('a', 'failed', { status: 201, body: '{}' });
    expect(await requests.claim('a', 'failed', claim('three', 100))).toBeNull();
    expect(await requests.claim('a', 'failed', claim('three', 101))).toMatchObject({ digest: 'three', response: null });
  });

  it('requests.prune() deletes all expired requests, and instances.delete() deletes the requests of the instance', async () => {
    const fixture = await open();
    const { requests, instances } = fixture.storage;
    const kept = instance('kept');
    await instances.create(kept);
    for (let n = 0; n < 501; n++) await requests.claim('a', `old ${n}`, claim('x', 0));
    await requests.claim(kept.id, 'new', claim('x', 50));
    expect(await requests.prune(100)).toBe(501);
    expect(await fixture.execute('SELECT id FROM request')).toEqual([{ id: 'new' }]);
    await instances.delete(kept.id);
    expect(await fixture.execute('SELECT id FROM request')).toEqual([]);
  });
}
