/**
 * Things by namespace and key. Where the namespace that is asked for has none, those that name no namespace are found;
 * where no namespace is asked for, those of the only namespace that has some.
 */
export class NamespacedMap<T> {
  private readonly byKey = new Map<string, Map<string | undefined, T[]>>();

  public add(namespace: string | undefined, key: string, value: T): void {
    let namespaces = this.byKey.get(key);
    if (!namespaces) {
      this.byKey.set(key, (namespaces = new Map<string | undefined, T[]>()));
    }
    const values = namespaces.get(namespace);
    if (values) {
      values.push(value);
    } else {
      namespaces.set(namespace, [value]);
    }
  }

  public get(namespace: string | undefined, key: string): readonly T[] {
    const namespaces = this.byKey.get(key);
    if (!namespaces) {
      return [];
    }
    const exact =
      namespaces.get(namespace) ?? (namespace === undefined ? undefined : namespaces.get(undefined));
    if (exact) {
      return exact;
    }
    return namespace === undefined && namespaces.size === 1 ? [...namespaces.values()][0]! : [];
  }
}
