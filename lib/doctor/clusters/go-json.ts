import { isMapping } from '../../problems';

/**
 * Reads an object of JSON as Go does: keys are compared without regard to case, `null` is nothing, and a value of another
 * type makes all of it unreadable.
 *
 * @see https://pkg.go.dev/encoding/json#Unmarshal
 */
export class GoObject {
  private readonly asked = new Set<string>();

  /** @param faults is added to: what is of the wrong type, with its path */
  public constructor(
    private readonly value: Readonly<Record<string, unknown>>,
    private readonly path: string,
    private readonly faults: string[],
  ) {}

  public text(key: string): string {
    const found = this.of(key);
    if (found === undefined || typeof found === 'string') {
      return found ?? '';
    }
    return this.wrong(key, 'a text', '');
  }

  public boolean(key: string): boolean {
    const found = this.of(key);
    if (found === undefined || typeof found === 'boolean') {
      return found ?? false;
    }
    return this.wrong(key, 'true or false, without quotes', false);
  }

  /** Bytes in base64. */
  public bytes(key: string): string {
    const text = this.text(key).replace(/[\r\n]/g, '');
    const padded = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
    return padded ? text : this.wrong(key, 'base64 with its padding', '');
  }

  public texts(key: string): readonly string[] {
    const found = this.of(key);
    if (found === undefined) {
      return [];
    }
    return Array.isArray(found) && found.every((each) => typeof each === 'string')
      ? found
      : this.wrong(key, 'a list of texts', []);
  }

  /** Texts by name. */
  public textsByName(key: string): Readonly<Record<string, string>> {
    const found = this.of(key);
    if (found === undefined) {
      return {};
    }
    return isMapping(found) && Object.values(found).every((each) => typeof each === 'string')
      ? (found as Readonly<Record<string, string>>)
      : this.wrong(key, 'texts by name', {});
  }

  public object(key: string): GoObject | undefined {
    const found = this.of(key);
    if (found === undefined) {
      return undefined;
    }
    return isMapping(found)
      ? new GoObject(found, `${this.path}.${key}`, this.faults)
      : this.wrong(key, 'an object', undefined);
  }

  /** Keys that nobody asked for: Go leaves them out without a word. */
  public get unknown(): readonly string[] {
    return Object.keys(this.value).filter((key) => !this.asked.has(key.toLowerCase()));
  }

  private of(key: string): unknown {
    const wanted = key.toLowerCase();
    this.asked.add(wanted);
    const [, found] = Object.entries(this.value).find(([name]) => name.toLowerCase() === wanted) ?? [];
    return found ?? undefined;
  }

  /** The value itself may be a credential. */
  private wrong<Value>(key: string, what: string, instead: Value): Value {
    this.faults.push(`${this.path}.${key} must be ${what}`);
    return instead;
  }
}
