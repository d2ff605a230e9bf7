/** `1.35` and `v1.35.4` give 35; anything else nothing. */
export function kubernetesMinor(version: string): number | undefined {
  const [, minor] = /^v?1\.(\d{1,3})(?:\.|-|$)/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}
