import type { WrittenManifest } from '../objects';

/** Kinds that a Canary is compared with. */
export const flaggerKinds: readonly string[] = [
  ...['Canary', 'DaemonSet', 'Deployment', 'HorizontalPodAutoscaler'],
  ...['HTTPRoute', 'MetricTemplate', 'ScaledObject', 'Service'],
];

interface Ref {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** What a Canary says of others, as far as it is compared. */
interface Named {
  readonly targetRef: Ref;
  readonly autoscalerRef?: Ref;
  readonly provider: string;
  readonly service: { readonly name?: string };
  readonly analysis: { readonly metrics?: readonly { readonly templateRef?: Ref }[] };
}

/** What does not fit between a Canary and the other objects, as far as they are at hand. */
export function canaryObjectProblems(canary: WrittenManifest, objects: readonly WrittenManifest[]): string[] {
  const spec = canary.spec as Named;
  const { name, namespace } = canary.metadata;
  const beside = objects.filter(({ metadata }) => metadata.namespace === namespace);
  const found = [
    ...madeByFlagger(spec, beside),
    ...targetProblems(spec, beside),
    ...scalerProblems(spec, beside),
    ...templateProblems(spec, namespace, objects),
  ];
  return found.map((problem) => `Canary "${name}": ${problem}`);
}

/** Flagger and whoever else applies an object would take turns. */
function madeByFlagger(
  { service, targetRef, provider }: Named,
  objects: readonly WrittenManifest[],
): string[] {
  const apex = service.name ?? targetRef.name;
  const services = [...(targetRef.kind === 'Service' ? [] : [apex]), `${apex}-primary`, `${apex}-canary`];
  const routes = provider.startsWith('gatewayapi:') ? [apex] : [];
  return objects
    .filter(({ kind, metadata }) =>
      (kind === 'Service' ? services : kind === 'HTTPRoute' ? routes : []).includes(metadata.name),
    )
    .map(({ kind, metadata }) => `${kind} "${metadata.name}" is made by Flagger, and must not be here, too`);
}

function targetProblems({ targetRef }: Named, objects: readonly WrittenManifest[]): string[] {
  const { kind, name } = targetRef;
  const target = objects.find((each) => each.kind === kind && each.metadata.name === name);
  const { replicas } = (target?.spec ?? {}) as { readonly replicas?: unknown };
  const canaries = objects.filter((each) => {
    const theirs = each.kind === 'Canary' ? (each.spec as Named).targetRef : {};
    return theirs.kind === kind && theirs.name === name;
  });
  return [
    ...(replicas === undefined
      ? []
      : [`${kind} "${name}" sets "replicas", which Flagger sets: every sync would start or end pods`]),
    ...(canaries.length > 1
      ? [`${kind} "${name}" has ${canaries.length} Canaries, and may have only one`]
      : []),
  ];
}

/** Without a reference, the released pods would have no autoscaler. */
function scalerProblems({ targetRef, autoscalerRef }: Named, objects: readonly WrittenManifest[]): string[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'HorizontalPodAutoscaler' && kind !== 'ScaledObject') {
      return [];
    }
    const { scaleTargetRef = {} } = (spec ?? {}) as { readonly scaleTargetRef?: Ref };
    // KEDA takes a Deployment where no kind is said.
    const scalesIt =
      scaleTargetRef.name === targetRef.name && (scaleTargetRef.kind ?? 'Deployment') === targetRef.kind;
    const isNamed = autoscalerRef?.kind === kind && autoscalerRef.name === metadata.name;
    if (scalesIt === isNamed) {
      return [];
    }
    return scalesIt
      ? [`${kind} "${metadata.name}" scales its target, and has to be its "autoscalerRef"`]
      : [`${kind} "${metadata.name}", its "autoscalerRef", does not scale its target`];
  });
}

/** A template of the name that is in another namespace is not found. */
function templateProblems(
  { analysis }: Named,
  namespace: string | undefined,
  objects: readonly WrittenManifest[],
): string[] {
  return (analysis.metrics ?? []).flatMap(({ templateRef }) => {
    const found = objects.filter(
      (each) => each.kind === 'MetricTemplate' && each.metadata.name === templateRef?.name,
    );
    const within = templateRef?.namespace ?? namespace;
    return found.length === 0 || found.some(({ metadata }) => metadata.namespace === within)
      ? []
      : [
          `MetricTemplate "${templateRef!.name}" is in the namespace ${found[0]!.metadata.namespace}: set it in "templateRef"`,
        ];
  });
}
