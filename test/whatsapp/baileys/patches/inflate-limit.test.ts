import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createInflate, deflateSync, inflate } from 'node:zlib';
import { decodeBinaryNode, encodeBinaryNode, proto } from '@whiskeysockets/baileys';
import { downloadAndProcessHistorySyncNotification } from '@whiskeysockets/baileys/lib/Utils/history.js';
import { describe, expect, it } from 'vitest';
import { runOwnedBy } from '../../../../src/lib/containment.ts';
import { InflateLimitError, installInflateLimit } from '../../../../src/whatsapp/baileys/patches/inflate-limit.ts';

const inflatingAtMost = <T>(inflateLimit: number, work: () => T): T =>
  runOwnedBy({ fail: () => undefined, inflateLimit }, work);

installInflateLimit();
installInflateLimit();
const zeros = deflateSync(Buffer.alloc(1_000_000));
const whole = promisify(inflate);

describe('inflating', () => {
  it('zlib fails at the limit of the running work, for buffers and streams', async () => {
    await expect(inflatingAtMost(999_999, () => whole(zeros))).rejects.toThrow(InflateLimitError);
    await expect(
      inflatingAtMost(999_999, () => pipeline(Readable.from([zeros]), createInflate().resume())),
    ).rejects.toThrow(InflateLimitError);
  });

  it('zlib returns content up to the limit, and any content outside of such work', async () => {
    expect(await inflatingAtMost(1_000_000, () => whole(zeros))).toHaveLength(1_000_000);
    expect(await whole(zeros)).toHaveLength(1_000_000);
  });

  it('zlib produces at most the limit and one chunk of output', async () => {
    const bomb = deflateSync(Buffer.alloc(50_000_000));
    const before = process.memoryUsage().arrayBuffers;
    await expect(inflatingAtMost(1_000_000, () => whole(bomb))).rejects.toThrow(InflateLimitError);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  it('Baileys decodes no frame with more lists than the limit', async () => {
    // Each element is a list, and so are the children of the first one.
    const chats = Array.from({ length: 9_999 }, () => ({ tag: 'chat', attrs: {} }));
    const encoded = encodeBinaryNode({ tag: 'list', attrs: {}, content: chats });
    const frame = Buffer.concat([Buffer.from([2]), deflateSync(encoded.subarray(1))]);
    const decodeWith = (listLimit: number) =>
      runOwnedBy({ fail: () => undefined, inflateLimit: encoded.length, listLimit }, () => decodeBinaryNode(frame));
    expect((await decodeWith(10_001)).content).toHaveLength(9_999);
    await expect(decodeWith(10_000)).rejects.toThrow(InflateLimitError);
  });

  it('Baileys inflates frames and inline history within the limit', async () => {
    const frame = Buffer.concat([Buffer.from([2]), zeros]);
    await expect(inflatingAtMost(1_000, () => decodeBinaryNode(frame))).rejects.toThrow(InflateLimitError);
    const notice = proto.Message.HistorySyncNotification.create({ initialHistBootstrapInlinePayload: zeros });
    await expect(inflatingAtMost(1_000, () => downloadAndProcessHistorySyncNotification(notice, {}))).rejects.toThrow(
      InflateLimitError,
    );
  });
});
