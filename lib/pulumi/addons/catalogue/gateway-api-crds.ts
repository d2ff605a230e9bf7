import { object } from '../../../core/validation/collections';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { text } from '../../../core/validation/values';
import { groupOf } from '../../../lint';
import type { ManifestObject } from '../../../lint';
import { optionsProblems, requires } from '../addon';
import { ManifestsAddon } from '../manifests-addon';

/** Options of the add-on with the Gateway API's definitions. */
export interface GatewayApiCrdsOptions {
  /** Path of the release's `standard-install.yaml` or `experimental-install.yaml`. Nothing is downloaded. */
  readonly manifests: string;
  /** SHA-256 of the file, in hexadecimal: what is applied is what was looked at. */
  readonly sha256: string;
  /** Names of the add-ons that must be ready before. @default - none */
  readonly requires?: readonly string[];
}

const gatewayApiCrdsOptions = object<GatewayApiCrdsOptions>({
  manifests: text('the path of a file'),
  sha256: text('64 hexadecimal digits: the output of sha256sum', /^[0-9a-f]{64}$/i),
  requires,
});

/** Name of the add-on, for `requires`. */
export const gatewayApiCrdsName = 'gateway-api-crds';

/** Kinds of a release: the definitions, and the policy that keeps their channels apart. */
const kinds = ['CustomResourceDefinition', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];

/** Annotation of everything in a release. */
const bundleVersion = 'gateway.networking.k8s.io/bundle-version';

/**
 * The definitions of the Gateway API, for the AWS Load Balancer Controller's Gateways, for Flagger and for others. The project
 * publishes them as one file for each release and channel, and no chart
 * (https://gateway-api.sigs.k8s.io/guides/getting-started/introduction/): download it once, put it beside the program, and
 * say its checksum. The definitions stay when the add-on goes.
 *
 * @example
 * addons.gatewayApiCrds({
 *   manifests: 'manifests/gateway-api-v1.6.1-standard.yaml',
 *   sha256: '<output of sha256sum>',
 * });
 */
export function gatewayApiCrds(options: GatewayApiCrdsOptions): ManifestsAddon<typeof gatewayApiCrdsName> {
  const problems = optionsProblems('gatewayApiCrds', gatewayApiCrdsOptions, options);
  return new ManifestsAddon(
    {
      name: gatewayApiCrdsName,
      files: [{ path: options.manifests, sha256: options.sha256 }],
      requires: options.requires,
    },
    (objects) => [...problems, ...releaseProblems(options.manifests, objects)],
  );
}

/** A file of something else, or more than definitions. */
function releaseProblems(file: string, objects: readonly ManifestObject[]): readonly Problem[] {
  const problems = new Problems('Gateway API');
  const foreign = objects.filter((object) => !isOfRelease(object));
  if (foreign.length > 0) {
    const [{ kind, name } = { kind: '', name: undefined }] = foreign;
    problems.add(
      'manifests',
      file,
      `a release of the Gateway API: ${foreign.length} of ${objects.length} objects are something else, the first ${kind} ${name ?? ''}`,
    );
  }
  return problems.all;
}

function isOfRelease({ kind, value }: ManifestObject): boolean {
  const { metadata, spec, apiVersion } = value as {
    readonly apiVersion: string;
    readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> };
    readonly spec?: { readonly group?: unknown };
  };
  const group = spec?.group;
  return (
    kinds.includes(kind) &&
    ['apiextensions.k8s.io', 'admissionregistration.k8s.io'].includes(groupOf(apiVersion)) &&
    typeof metadata?.annotations?.[bundleVersion] === 'string' &&
    (kind !== 'CustomResourceDefinition' ||
      (typeof group === 'string' && /^gateway\.networking\.(x-)?k8s\.io$/.test(group)))
  );
}
