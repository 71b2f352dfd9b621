// Changes to bytes that know nothing of their meaning.
import type { Random } from './random.ts';

/** The bytes with one to three changes: a bit, a byte, a cut, a repetition, an insertion. */
export function spoil(random: Random, given: Uint8Array): Buffer {
  let bytes: Buffer = Buffer.from(given);
  for (let changes = 1 + random.few(2); changes > 0; changes--) bytes = change(random, bytes);
  return bytes;
}

function change(random: Random, bytes: Buffer): Buffer {
  const at = random.int(bytes.length + 1);
  const other = random.int(bytes.length + 1);
  const [from, to] = [Math.min(at, other), Math.max(at, other)];
  const edited = Buffer.from(bytes);
  switch (random.int(7)) {
    case 0:
      if (at < edited.length) edited.writeUInt8(edited.readUInt8(at) ^ (1 << random.int(8)), at);
      return edited;
    case 1:
      if (at < edited.length)
        edited.writeUInt8(random.pick([0, 1, 0x7f, 0x80, 0xf8, 0xf9, 0xfc, 0xfd, 0xfe, 0xff]), at);
      return edited;
    case 2:
      return edited.subarray(0, at);
    case 3:
      return Buffer.concat([edited.subarray(0, from), edited.subarray(to)]);
    case 4:
      return Buffer.concat([edited, edited.subarray(from, to)]);
    case 5:
      return Buffer.concat([edited.subarray(0, at), random.bytes(1 + random.int(8)), edited.subarray(at)]);
    default:
      return Buffer.concat([edited.subarray(to), edited.subarray(0, from)]);
  }
}
