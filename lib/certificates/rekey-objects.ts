import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { withoutNamespace } from '../admission';
import type { AuthorityRekey } from './authority-rekey';
import { apiVersionOf, rekeyAccess } from './rekey-access';
import { rekeyJob } from './rekey-job';
import { directInjection } from './rekey/write-bundles';

/** Which re-key it is. */
export interface RekeyNames {
  /** Name of the authority, without a generation. */
  readonly authority: string;
  readonly namespace: string;
  /** The new generation. */
  readonly generation: number;
  /** Names of the generations' objects and Secrets. */
  readonly old: string;
  readonly renewed: string;
}

/** Secret that both generations are injected from. */
export function bundleSecretName(renewed: string): string {
  return `${renewed}-bundle`;
}

/** What a phase needs beside the two generations. */
export interface RekeyObjects {
  /** The Job that must succeed before what the phase changes may be applied. */
  readonly gate: ApiObject;
  /** The Secret with both generations, in the phases that inject from it. */
  readonly bundle?: ApiObject;
}

/**
 * Makes the Jobs of a phase, with their rights. `publish` writes the Secret with both generations, before anything is
 * injected from it. `switch` and `retire` wait until the phase before is over. `retire` also writes the CA bundles.
 *
 * @param certificates that the Jobs read
 */
export function rekeyObjects(
  scope: Construct,
  rekey: AuthorityRekey,
  names: RekeyNames,
  certificates: readonly ApiObject[],
): RekeyObjects {
  const { namespace, renewed } = names;
  const account = { name: `${renewed}-rekey`, namespace };
  const early = { 'argocd.argoproj.io/sync-wave': '-2' };
  const access = rekeyAccess(account, rekey, bundleSecretName(renewed)).map((manifest) => {
    const { kind, metadata } = manifest;
    const object = new ApiObject(scope, `Rekey${kind}${metadata.namespace ?? ''}`, {
      ...manifest,
      metadata: { ...metadata, annotations: early },
    });
    return metadata.namespace === undefined ? withoutNamespace(object) : object;
  });
  const bundle =
    rekey.phase === 'retire'
      ? undefined
      : new ApiObject(scope, 'RekeyBundle', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: {
            name: bundleSecretName(renewed),
            namespace,
            annotations: { ...early, [directInjection]: 'true' },
          },
        });
  const needed = [...access, ...certificates, ...(bundle ? [bundle] : [])];
  const job = (id: string, does: string, args: readonly string[], wave: number): ApiObject => {
    const created = new ApiObject(
      scope,
      id,
      rekeyJob({
        ...{ does, rekey, namespace, wave },
        arguments: ['rekey', ...args, ...identity(names)],
        name: renewed,
        serviceAccount: account.name,
        secrets: { old: names.old, renewed },
      }),
    );
    created.addDependency(...needed);
    return created;
  };
  const places = serviceArguments(rekey);
  switch (rekey.phase) {
    case 'publish':
      return { gate: job('RekeyWriteBundle', 'bundle', ['bundle'], -1), bundle: bundle! };
    case 'switch':
      return {
        gate: job('RekeyGate', 'gate', ['gate', 'publish', ...places, '--settle', rekey.settle ?? '1h'], -1),
        bundle: bundle!,
      };
    case 'retire': {
      const gate = job('RekeyGate', 'gate', ['gate', 'switch', ...places], -1);
      const objects = rekey.injectedInto.flatMap(({ kind, name }) => ['--injected', `${kind}/${name}`]);
      job('RekeyRetire', 'retire', ['retire', ...places, ...objects], 1).addDependency(gate);
      return { gate };
    }
  }
}

function identity({ namespace, authority, generation }: RekeyNames): string[] {
  return ['--namespace', namespace, '--name', authority, '--generation', String(generation)];
}

function serviceArguments({ services }: AuthorityRekey): string[] {
  return services.flatMap(({ namespace, name, port }) => [
    '--service',
    `${namespace}/${name}${port === undefined ? '' : `:${port}`}`,
  ]);
}

/** The objects that are injected into, as the API names them. */
export function injectedObjects(objects: AuthorityRekey['injectedInto']): {
  /** API version of the kind. */
  apiVersion: string;
  /** Kind of the object. */
  kind: string;
  /** What names it. */
  metadata: {
    /** Name of the object. */
    name: string;
  };
}[] {
  return objects.map(({ kind, name }) => ({ apiVersion: apiVersionOf(kind), kind, metadata: { name } }));
}
