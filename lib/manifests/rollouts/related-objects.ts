import type { WrittenManifest } from '../objects';

/** Kinds that a Rollout is compared with. */
export const comparedKinds: readonly string[] = ['Service', 'Ingress', 'HTTPRoute', 'AnalysisTemplate'];

/** What a Rollout says of others, as far as it is compared. */
interface Named {
  readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  readonly strategy: {
    readonly canary?: CanaryNames;
    readonly blueGreen?: { readonly activeService: string; readonly previewService?: string };
  };
}

interface CanaryNames {
  readonly stableService?: string;
  readonly canaryService?: string;
  readonly trafficRouting?: {
    readonly alb?: {
      readonly ingress?: string;
      readonly ingresses?: readonly string[];
      readonly rootService?: string;
    };
    readonly plugins?: Readonly<
      Record<
        string,
        { readonly namespace: string; readonly httpRoutes: readonly { readonly name: string }[] }
      >
    >;
  };
}

/** What does not fit between a Rollout and the objects that it names, as far as they are at hand. */
export function rolloutObjectProblems(
  rollout: WrittenManifest,
  objects: readonly WrittenManifest[],
): string[] {
  const { template, strategy } = rollout.spec as Named;
  const { namespace } = rollout.metadata;
  const find = (kind: string, name: string | undefined, within = namespace): WrittenManifest | undefined =>
    objects.find(
      (each) => each.kind === kind && each.metadata.name === name && each.metadata.namespace === within,
    );
  const { canary, blueGreen } = strategy;
  const services = [
    canary?.stableService,
    canary?.canaryService,
    blueGreen?.activeService,
    blueGreen?.previewService,
  ].flatMap((name) => find('Service', name) ?? []);
  const found = [
    ...services.flatMap((service) => serviceProblems(service, template?.metadata?.labels)),
    ...(canary ? routeProblems(canary, find) : []),
    ...templateProblems(rollout, objects),
  ];
  return found.map((problem) => `Rollout "${rollout.metadata.name}": ${problem}`);
}

/** Argo Rollouts adds the hash of the pods to the selector; the rest has to fit them. */
function serviceProblems(
  service: WrittenManifest,
  labels: Readonly<Record<string, string>> | undefined,
): string[] {
  const { selector = {} } = service.spec as { readonly selector?: Readonly<Record<string, string>> };
  const strange = Object.entries(selector).filter(
    ([key, value]) => labels !== undefined && labels[key] !== value,
  );
  return strange.map(
    ([key, value]) =>
      `Service "${service.metadata.name}" selects ${key}=${value}, which its pods don't have: it would find none`,
  );
}

function routeProblems(
  canary: CanaryNames,
  find: (kind: string, name: string | undefined, within?: string) => WrittenManifest | undefined,
): string[] {
  const { alb, plugins = {} } = canary.trafficRouting ?? {};
  const root = alb?.rootService ?? canary.stableService!;
  const ingresses = [alb?.ingress, ...(alb?.ingresses ?? [])].flatMap((name) => find('Ingress', name) ?? []);
  const routes = Object.values(plugins).flatMap(({ namespace, httpRoutes }) =>
    httpRoutes.flatMap(({ name }) => find('HTTPRoute', name, namespace) ?? []),
  );
  return [
    ...ingresses
      .filter((ingress) => !hasAnnotatedBackend(ingress, root))
      .map(
        ({ metadata }) =>
          `Ingress "${metadata.name}" has no path to the Service "${root}" with the port name use-annotation`,
      ),
    ...routes
      .filter((route) => !hasRuleWithBoth(route, [canary.stableService!, canary.canaryService!]))
      .map(
        ({ metadata }) =>
          `HTTPRoute "${metadata.name}" has no rule with both "${canary.stableService}" and "${canary.canaryService}"`,
      ),
  ];
}

interface IngressSpec {
  readonly rules?: readonly {
    readonly http?: {
      readonly paths?: readonly {
        readonly backend?: {
          readonly service?: { readonly name?: string; readonly port?: { readonly name?: string } };
        };
      }[];
    };
  }[];
}

function hasAnnotatedBackend({ spec }: WrittenManifest, root: string): boolean {
  const paths = ((spec ?? {}) as IngressSpec).rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
  return paths.some(
    ({ backend }) => backend?.service?.name === root && backend.service.port?.name === 'use-annotation',
  );
}

function hasRuleWithBoth({ spec }: WrittenManifest, services: readonly string[]): boolean {
  const { rules = [] } = (spec ?? {}) as {
    readonly rules?: readonly { readonly backendRefs?: readonly { readonly name?: string }[] }[];
  };
  return rules.some(({ backendRefs = [] }) =>
    services.every((service) => backendRefs.some(({ name }) => name === service)),
  );
}

/** A template of the name that is in another namespace is not found. */
function templateProblems(
  { spec, metadata }: WrittenManifest,
  objects: readonly WrittenManifest[],
): string[] {
  const names = [...JSON.stringify(spec).matchAll(/\{"templateName":"([^"]+)"\}/g)].map(([, name]) => name!);
  return [...new Set(names)].flatMap((name) => {
    const found = objects.filter((each) => each.kind === 'AnalysisTemplate' && each.metadata.name === name);
    const isBeside =
      found.length === 0 || found.some((each) => each.metadata.namespace === metadata.namespace);
    return isBeside
      ? []
      : [
          `AnalysisTemplate "${name}" is in the namespace ${found[0]!.metadata.namespace}, and has to be among the same objects`,
        ];
  });
}
