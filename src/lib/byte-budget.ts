// A number of bytes that clients share, such that no client can take all of them.

export class ByteBudget {
  readonly #total: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(total: number) {
    this.#total = total;
  }

  /**
   * Takes bytes for the client. Returns false, and takes none, when the client would then have more than half of what
   * the other clients leave.
   */
  take(client: string, bytes: number): boolean {
    const before = this.#takenBy.get(client) ?? 0;
    const leftByOthers = this.#total - (this.#taken - before);
    if (before + bytes > leftByOthers / 2) return false;
    this.#takenBy.set(client, before + bytes);
    this.#taken += bytes;
    return true;
  }

  /** Makes bytes that the client has taken available again. */
  release(client: string, bytes: number): void {
    const rest = (this.#takenBy.get(client) ?? 0) - bytes;
    if (rest > 0) this.#takenBy.set(client, rest);
    else this.#takenBy.delete(client);
    this.#taken -= bytes;
  }
}
