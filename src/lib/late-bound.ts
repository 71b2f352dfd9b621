// A reference to a part that is created later, for parts that depend on each other. Using it too early is an error with
// a clear text.

export class LateBound<T> {
  readonly #name: string;
  #bound: { value: T } | undefined;

  /** `name` is for the error. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Sets the value, once. Returns it. */
  bind(value: T): T {
    if (this.#bound) throw new Error(`${this.#name} is bound already`);
    this.#bound = { value };
    return value;
  }

  get isBound(): boolean {
    return this.#bound !== undefined;
  }

  /** Throws Error before `bind`. */
  get current(): T {
    if (!this.#bound) throw new Error(`${this.#name} is used before it is created`);
    return this.#bound.value;
  }
}
