import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { eventually } from './eventually';
import type { KubernetesApi, KubernetesObject } from './kubernetes-api';

/** The objects in all YAML files of a folder, in the order of the files' names. */
export function objectsBelow(folder: string): KubernetesObject[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ya?ml$/.test(file))
    .sort()
    .flatMap((file) => objectsInFile(join(folder, file)));
}

/** The objects in a YAML file. */
export function objectsInFile(file: string): KubernetesObject[] {
  return objectsIn(readFileSync(file, 'utf8'));
}

/** The objects in a YAML text. */
export function objectsIn(text: string): KubernetesObject[] {
  return [parseAllDocuments(text)]
    .flat()
    .map((document) => {
      const [error] = document.errors;
      if (error) {
        throw error;
      }
      return document.toJS() as KubernetesObject | null;
    })
    .filter((object): object is KubernetesObject => typeof object?.kind === 'string');
}

/** Whether an object defines a kind. */
export function isCrd({ kind }: KubernetesObject): boolean {
  return kind === 'CustomResourceDefinition';
}

/** Installs the definitions among these objects, and waits until their kinds are served. */
export async function establishCrds(api: KubernetesApi, objects: readonly KubernetesObject[]): Promise<void> {
  const definitions = objects.filter(isCrd);
  await Promise.all(definitions.map((each) => api.apply(each)));
  for (const { metadata, apiVersion, kind } of definitions) {
    await eventually(`${metadata.name} established`, async () => {
      const { status } = await api.get({ apiVersion, kind, metadata });
      return (status?.conditions ?? []).some(
        ({ type, status: state }: { type: string; status: string }) =>
          type === 'Established' && state === 'True',
      );
    });
  }
  await Promise.all(definitions.map((each) => served(api, each)));
}

/** Established is not yet in discovery. */
async function served(api: KubernetesApi, { metadata, spec }: KubernetesObject): Promise<void> {
  const version = spec.versions.find((each: { served: boolean }) => each.served).name;
  await eventually(`${metadata.name} served`, () => api.list(`${spec.group}/${version}`, spec.names.kind));
}
