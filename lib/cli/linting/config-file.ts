import { existsSync } from 'node:fs';

/** Suppressions, severities and decisions of a repository. */
const usual = 'cluster-canary.yaml';

/** The configuration: the file that was given, else the usual one if it is there. */
export function configFile(given: string | undefined): string | undefined {
  return given ?? (existsSync(usual) ? usual : undefined);
}
