/** Something to wait for that a test opens when it wants. */
export class Gate<Value = void> {
  readonly opened: Promise<Value>;
  #open: (value: Value) => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(value: Value): void {
    this.#open(value);
  }
}
