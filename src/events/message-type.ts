// The type of a message: the name of the main member of its content.

/**
 * Returns the name of the main member, for example `imageMessage`, or `unknown` when the content has none. Skips
 * `senderKeyDistributionMessage`: it accompanies the main member and contains an encryption key of a group.
 */
export function messageTypeOf(content: object): string {
  for (const name of Object.keys(content)) {
    if (name === 'conversation' || (name.includes('Message') && name !== 'senderKeyDistributionMessage')) return name;
  }
  return 'unknown';
}
