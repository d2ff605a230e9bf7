/**
 * Data in CEL's syntax, which has that of JSON, but for values of several types in one map.
 *
 * @param value plain data
 */
export function celText(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const fields = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: dyn(${celText(each)})`);
  return `{${fields.join(', ')}}`;
}

/**
 * The condition that a request comes from a service account.
 *
 * @param namespace of the service account
 * @param name of the service account
 */
export function isServiceAccount(namespace: string, name: string): string {
  return `request.userInfo.username == ${celText(`system:serviceaccount:${namespace}:${name}`)}`;
}

/**
 * Whether two objects or maps are equal but for some keys. Either may have keys that the other has not.
 *
 * @param keys that may differ
 * @param now expression of one
 * @param before expression of the other
 */
export function equalBut(keys: readonly string[], now: string, before: string): string {
  const oneWay = (one: string, other: string, compare: boolean) =>
    `dyn(${one}).all(k, k in ${celText(keys)} || (k in dyn(${other})${compare ? ` && dyn(${one})[k] == dyn(${other})[k]` : ''}))`;
  return `${oneWay(now, before, true)} && ${oneWay(before, now, false)}`;
}

/** What the API server itself changes of an object's metadata with a write. */
export const serverFields: readonly string[] = ['resourceVersion', 'generation', 'managedFields'];
