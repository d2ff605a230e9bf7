import { accessSync, constants, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Providers that the suite has stand-ins for. */
export const providerNames = ['aws', 'eks', 'kubernetes'] as const;

/** One of them. */
export type ProviderName = (typeof providerNames)[number];

/** Where a provider's executable is. */
export interface ChosenProvider {
  readonly name: ProviderName;
  /** Folder of another one than the suite's own. @default - the suite's own */
  readonly folder?: string;
}

/**
 * Which providers a part runs with: those that the folder has, and the suite's own for the others.
 *
 * @param folder value of `CLUSTER_CANARY_E2E_PLUGINS`; undefined or empty for the suite's own alone
 * @throws Error where the folder has none of them, or one that can't be executed
 */
export function chosenProviders(folder: string | undefined): readonly ChosenProvider[] {
  if (folder === undefined || folder === '') {
    return providerNames.map((name) => ({ name }));
  }
  const path = resolve(folder);
  const chosen = providerNames.map((name): ChosenProvider =>
    isThere(join(path, executableOf(name))) ? { name, folder: path } : { name },
  );
  if (chosen.every((each) => each.folder === undefined)) {
    const allowed = providerNames.map(executableOf).join(', ');
    throw new Error(`CLUSTER_CANARY_E2E_PLUGINS: ${path}: must be a folder with one of ${allowed}`);
  }
  return chosen;
}

/**
 * @param folder value of `CLUSTER_CANARY_E2E_PLUGINS`
 * @throws Error where the folder has not all of these providers, with the command that installs them
 */
export function requireProviders(folder: string | undefined, needed: readonly ProviderName[]): void {
  const path = folder === undefined || folder === '' ? undefined : resolve(folder);
  const missing = needed.filter((name) => path === undefined || !isThere(join(path, executableOf(name))));
  if (missing.length > 0) {
    throw new Error(
      `CLUSTER_CANARY_E2E_PLUGINS: ${path ?? 'not set'}: must be a folder with ` +
        `${missing.map(executableOf).join(' and ')}: npm run e2e:plugins -- FOLDER ${missing.join(' ')}`,
    );
  }
}

/** The name by which the engine looks for it. */
export function executableOf(name: ProviderName): string {
  return `pulumi-resource-${name}`;
}

/** `aws of the suite, eks of /opt/plugins, kubernetes of the suite` */
export function describeProviders(chosen: readonly ChosenProvider[]): string {
  return chosen.map(({ name, folder = 'the suite' }) => `${name} of ${folder}`).join(', ');
}

function isThere(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    return false;
  }
  try {
    accessSync(file, constants.X_OK);
  } catch {
    throw new Error(`CLUSTER_CANARY_E2E_PLUGINS: ${file}: must be executable`);
  }
  return true;
}
