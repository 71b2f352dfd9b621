// Requests with a key: who was first, what was answered, and for how long that is known.
import { expect, it } from 'vitest';
import { beforeAndAfterRestart, type OpenBench } from '../conformance.ts';
import { instance } from '../samples.ts';

const claim = (digest: string, now: number) => ({ digest, messageId: `M-${digest}`, now, expiresAt: now + 100 });

export function requestTests(open: OpenBench): void {
  it('are claimed by the first; the next gets what is known of it, also after a restart', async () => {
    const bench = await open();
    const { requests } = bench.storage;
    expect(await requests.claim('a', 'answered', claim('one', 0))).toBeNull();
    expect(await requests.claim('a', 'open', claim('two', 0))).toBeNull();
    expect(await requests.claim('b', 'open', claim('other instance', 0))).toBeNull();
    await requests.storeResponse('a', 'answered', { status: 201, body: '{"a":"\\u0000"}' });
    for await (const store of beforeAndAfterRestart(bench)) {
      expect(await store.requests.claim('a', 'answered', claim('different', 99))).toEqual({
        digest: 'one',
        messageId: 'M-one',
        response: { status: 201, body: '{"a":"\\u0000"}' },
      });
      expect(await store.requests.claim('a', 'open', claim('two', 1))).toMatchObject({ digest: 'two', response: null });
    }
  });

  it('are forgotten on demand and after their time, with nothing of the earlier answer left', async () => {
    const { storage } = await open();
    const { requests } = storage;
    await requests.claim('a', 'failed', claim('one', 0));
    await requests.delete('a', 'failed');
    expect(await requests.claim('a', 'failed', claim('two', 0))).toBeNull();
    await requests.storeResponse('a', 'failed', { status: 201, body: '{}' });
    expect(await requests.claim('a', 'failed', claim('three', 100))).toBeNull();
    expect(await requests.claim('a', 'failed', claim('three', 101))).toMatchObject({ digest: 'three', response: null });
  });

  it('are pruned when they have expired, however many, and go with their instance', async () => {
    const bench = await open();
    const { requests, instances } = bench.storage;
    const kept = instance('kept');
    await instances.create(kept);
    for (let n = 0; n < 501; n++) await requests.claim('a', `old ${n}`, claim('x', 0));
    await requests.claim(kept.id, 'new', claim('x', 50));
    expect(await requests.prune(100)).toBe(501);
    expect(await bench.execute('SELECT id FROM request')).toEqual([{ id: 'new' }]);
    await instances.delete(kept.id);
    expect(await bench.execute('SELECT id FROM request')).toEqual([]);
  });
}
