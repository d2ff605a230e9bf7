import { isAbsolute, join, relative } from 'node:path';
import * as pulumi from '@pulumi/pulumi';

/**
 * The program that Helm runs over what a chart renders, for `postrender` of a Release. Pulumi's provider takes one
 * program without arguments, and looks for a path from the folder of the Pulumi program:
 * https://github.com/pulumi/pulumi-kubernetes/blob/v4.34.2/provider/pkg/provider/helm_release.go.
 *
 * @param harden whether, or which other program
 */
export function postRendererOf(harden: boolean | string): string | undefined {
  if (typeof harden === 'string') {
    return harden;
  }
  return harden
    ? pathFrom(process.cwd(), pulumi.getRootDirectory(), join(__dirname, '..', 'cli', 'harden.js'))
    : undefined;
}

/**
 * A path that stays the same on every machine, so that no release looks changed on another one. It is a whole path where
 * the program does not run in a folder of its project: as an inline program of the Automation API, say.
 *
 * @param folder that the program runs in
 * @param project folder of Pulumi.yaml
 */
export function pathFrom(folder: string, project: string, file: string): string {
  const below = relative(project, folder);
  const path = relative(folder, file);
  if (below.startsWith('..') || isAbsolute(below) || isAbsolute(path)) {
    return file;
  }
  // A name without a separator would be looked for on the PATH.
  return path.includes('/') ? path : `./${path}`;
}
