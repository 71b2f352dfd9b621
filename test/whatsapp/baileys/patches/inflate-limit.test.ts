import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createInflate, deflateSync, inflate } from 'node:zlib';
import { decodeBinaryNode, encodeBinaryNode, proto } from '@whiskeysockets/baileys';
import { downloadAndProcessHistorySyncNotification } from '@whiskeysockets/baileys/lib/Utils/history.js';
import { describe, expect, it } from 'vitest';
import { runOwnedBy } from '../../../../src/lib/containment.ts';
import { InflateLimitError, installInflateLimit } from '../../../../src/whatsapp/baileys/patches/inflate-limit.ts';

const inflateAtMost = <T>(inflateLimit: number, work: () => T): T =>
  runOwnedBy({ fail: () => undefined, inflateLimit }, work);

installInflateLimit();
installInflateLimit();
const compressedZeros = deflateSync(Buffer.alloc(1_000_000));
const inflateBuffer = promisify(inflate);

describe('installInflateLimit', () => {
  it('installInflateLimit() makes zlib reject buffers and streams above the limit of the running work', async () => {
    await expect(inflateAtMost(999_999, () => inflateBuffer(compressedZeros))).rejects.toThrow(InflateLimitError);
    await expect(
      inflateAtMost(999_999, () => pipeline(Readable.from([compressedZeros]), createInflate().resume())),
    ).rejects.toThrow(InflateLimitError);
  });

  it('installInflateLimit() lets zlib return content up to the limit, and any content without a limit', async () => {
    expect(await inflateAtMost(1_000_000, () => inflateBuffer(compressedZeros))).toHaveLength(1_000_000);
    expect(await inflateBuffer(compressedZeros)).toHaveLength(1_000_000);
  });

  it('installInflateLimit() stops zlib before 50 MB of compressed zeros take 20 MB of memory', async () => {
    const bomb = deflateSync(Buffer.alloc(50_000_000));
    const before = process.memoryUsage().arrayBuffers;
    await expect(inflateAtMost(1_000_000, () => inflateBuffer(bomb))).rejects.toThrow(InflateLimitError);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  it('installInflateLimit() makes Baileys reject a frame with more lists than the limit', async () => {
    // Each element is a list, and so are the children of the first one.
    const chats = Array.from({ length: 9_999 }, () => ({ tag: 'chat', attrs: {} }));
    const encoded = encodeBinaryNode({ tag: 'list', attrs: {}, content: chats });
    const frame = Buffer.concat([Buffer.from([2]), deflateSync(encoded.subarray(1))]);
    const decodeWith = (listLimit: number) =>
      runOwnedBy({ fail: () => undefined, inflateLimit: encoded.length, listLimit }, () => decodeBinaryNode(frame));
    expect((await decodeWith(10_001)).content).toHaveLength(9_999);
    await expect(decodeWith(10_000)).rejects.toThrow(InflateLimitError);
  });

  it('installInflateLimit() makes Baileys reject frames and inline history above the limit', async () => {
    const frame = Buffer.concat([Buffer.from([2]), compressedZeros]);
    await expect(inflateAtMost(1_000, () => decodeBinaryNode(frame))).rejects.toThrow(InflateLimitError);
    const notice = proto.Message.HistorySyncNotification.create({ initialHistBootstrapInlinePayload: compressedZeros });
    await expect(inflateAtMost(1_000, () => downloadAndProcessHistorySyncNotification(notice, {}))).rejects.toThrow(
      InflateLimitError,
    );
  });
});
