import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from './lint-repository';
import type { Result } from './run-cli';
import { clusterCanary as ownProcess, scratch } from './run-cli';
import { clusterCanary } from './run-here';

/** An Application in which GIT01 has something to say. */
export const application = (name: string, more = ''): string =>
  `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${name}
${more}spec:
  # kept
  ignoreDifferences: [{kind: Secret}]
`;

/** An object in which no rule finds anything. */
export const settings = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n';

let folders = 0;

/** A folder with files in it. */
export function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  folders += 1;
  const folder = join(scratch, `lint-${folders}`);
  mkdirSync(folder);
  writeFiles(folder, files);
  return folder;
}

/** Runs `cluster-canary lint` in a folder. */
export const lint = (cwd: string, ...args: readonly string[]): Promise<Result> =>
  clusterCanary(['lint', ...args], { cwd });

/** The same as a process: it loads a module, or must not run what is in a folder. */
export const lintProcess = (cwd: string, ...args: readonly string[]): Promise<Result> =>
  ownProcess(['lint', ...args], { cwd });

/** `lint`, with its JSON document. */
export async function lintJson(cwd: string, ...args: readonly string[]) {
  const result = await lint(cwd, ...args, '--format', 'json');
  return { ...result, document: JSON.parse(result.stdout) };
}
