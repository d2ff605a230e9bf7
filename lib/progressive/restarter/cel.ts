/** Data in CEL's syntax, which has that of JSON, but for values of several types in one map. */
export function cel(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const fields = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: dyn(${cel(each)})`);
  return `{${fields.join(', ')}}`;
}

/** The user that a service account is to the API server, as a condition. */
export function isAccount(namespace: string, name: string): string {
  return `request.userInfo.username == ${cel(`system:serviceaccount:${namespace}:${name}`)}`;
}
