import type { ObjectIndex } from '../object-index';
import type { TrustingObject } from './trusting-objects';
import type { Workload } from './workloads';
import { workloads } from './workloads';

/**
 * The workload that writes the CA bundle of an object: a Job of `kube-webhook-certgen`, by any name of its image.
 *
 * @see https://github.com/kubernetes/ingress-nginx/blob/main/images/kube-webhook-certgen/rootfs/cmd/patch.go
 */
export function bundleWriter(objects: ObjectIndex, { object }: TrustingObject): Workload | undefined {
  const kind = patched[object.kind];
  return kind === undefined ? undefined : objects.view(patches).get(`${kind} ${object.name}`);
}

/** The flag that keeps a kind as it is. */
const patched: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: 'mutating',
  ValidatingWebhookConfiguration: 'validating',
};

/** By kind and name of what they write. */
function patches(objects: ObjectIndex): ReadonlyMap<string, Workload> {
  const found = new Map<string, Workload>();
  for (const workload of objects.view(workloads).all) {
    for (const { field } of workload.containers) {
      const words = [...field.get('command').texts, ...field.get('args').texts];
      const name = valueOf(words, '--webhook-name');
      for (const kind of words.includes('patch') && name !== undefined ? Object.values(patched) : []) {
        if (valueOf(words, `--patch-${kind}`) !== 'false') {
          found.set(`${kind} ${name}`, workload);
        }
      }
    }
  }
  return found;
}

/** Of `--flag=value` and `--flag value`. */
function valueOf(words: readonly string[], flag: string): string | undefined {
  const position = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[position];
  return word === flag ? words[position + 1] : word?.slice(flag.length + 1);
}
