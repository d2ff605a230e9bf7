/** Whether Pulumi made this name of a resource's: it adds a dash and seven hexadecimal digits. */
export function isAutomaticName(name: string, resource: string): boolean {
  return name.startsWith(`${resource}-`) && /^[0-9a-f]{7}$/.test(name.slice(resource.length + 1));
}
